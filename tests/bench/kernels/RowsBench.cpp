// SPDX-License-Identifier: Apache-2.0
// Fused elementwise ops, softmax and layer norm on one core beside the same in
// C++, compiled with -O3 -march=native -ffast-math (Baseline.cpp).
#include "Baseline.h"
#include "Compiled.h"
#include <cmath>
#include <cstdio>

using namespace smp;
using namespace smp::bench;

namespace {
struct Case {
  const char *name;
  int64_t rows, columns;
  const char *body; ///< From %x, %s and %b to %y; T and V are their types.
  void (*baseline)(const float *x, const float *s, const float *b, float *y,
                   long rows, long columns);
  double bound; ///< Of the greatest difference; the baseline's errors included.
};
} // namespace

static std::string replaced(std::string text, const std::string &from,
                            const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

static std::string programText(const Case &item) {
  std::string columns = std::to_string(item.columns);
  std::string t =
      "tensor<" + std::to_string(item.rows) + "x" + columns + "xf32>";
  std::string v = "tensor<" + columns + "xf32>";
  std::string text =
      "smp.entry @predict(%x: $T {smp.name = \"x\"}, %s: $V {smp.name = "
      "\"s\"}, "
      "%b: $V {smp.name = \"b\"}) -> ($T {smp.name = \"y\"}) {\n" +
      std::string(item.body) + "smp.return %y : $T\n}\n";
  return replaced(replaced(text, "$T", t), "$V", v);
}

static double measure(const Case &item) {
  Compiled program(programText(item));
  Session session = program.open("cpu:0=0");
  size_t count = size_t(item.rows * item.columns);
  Numbers x(count), s(size_t(item.columns)), b(size_t(item.columns)), y(count),
      expected(count);
  int64_t shape[] = {item.rows, item.columns};
  std::span<const int64_t> vectorShape(shape + 1, 1);
  InputTensor inputs[] = {{"x", {DType::F32, shape, x.data()}},
                          {"s", {DType::F32, vectorShape, s.data()}},
                          {"b", {DType::F32, vectorShape, b.data()}}};
  OutputBinding output{"y", y.data(), count * sizeof(float)};
  StepOptions options;
  options.outputs = {&output, 1};
  Paired time =
      timeInTurn([&] { orDie(session.step("predict", inputs, options)); },
                 [&] {
                   item.baseline(x.data(), s.data(), b.data(), expected.data(),
                                 item.rows, item.columns);
                 });
  double error = greatestDifference(y.data(), expected.data(), count);
  std::printf(
      "%-22s %5ldx%6ld  %8.3f %8.3f ns/element  ratio %.2f  difference %.1e\n",
      item.name, item.rows, item.columns, time.ours / double(count) * 1e9,
      time.theirs / double(count) * 1e9, time.ratio(), error);
  std::fflush(stdout);
  if (!(error <= item.bound))
    std::exit(1);
  return time.ratio();
}

int main() {
  std::printf("level %s, C++ by %s, one core each\n", levelName().c_str(),
              baselineCompiler());
  std::printf("                                          smp      C++\n");
  const char *add = "%y = smp.add %x, %x : $T\n";
  const char *affine =
      "%p = smp.broadcast %s {dimensions = array<i64: 1>} : $V to $T\n"
      "%q = smp.broadcast %b {dimensions = array<i64: 1>} : $V to $T\n"
      "%m = smp.mul %x, %p : $T\n%a = smp.add %m, %q : $T\n"
      "%y = smp.relu %a : $T\n";
  const char *exponential = "%y = smp.exp %x : $T\n";
  const char *tanh = "%y = smp.tanh %x : $T\n";
  const char *gelu =
      "%q = smp.broadcast %b {dimensions = array<i64: 1>} : $V to $T\n"
      "%a = smp.add %x, %q : $T\n%y = smp.gelu %a : $T\n";
  const char *silu = "%y = smp.silu %x : $T\n";
  const char *softmax = "%y = smp.softmax %x {axis = 1 : i64} : $T\n";
  const char *norm =
      "%y = smp.layer_norm %x, %s, %b {axis = 1 : i64, epsilon = 1.0e-5 : f64} "
      ": ($T, $V, $V) -> $T\n";
  const Case cases[] = {
      {"add", 1, 65536, add, baselineAdd, 0},
      {"add", 1, 1 << 25, add, baselineAdd, 0},
      {"mul add relu", 512, 768, affine, baselineAffine, 1e-6},
      {"exp", 1, 65536, exponential, baselineExp, 1e-5},
      {"tanh", 1, 65536, tanh, baselineTanh, 1e-5},
      {"add gelu", 512, 768, gelu, baselineGelu, 1e-5},
      {"silu", 1, 65536, silu, baselineSilu, 1e-5},
      {"softmax", 512, 768, softmax, baselineSoftmax, 1e-5},
      {"softmax", 1536, 128, softmax, baselineSoftmax, 1e-5},
      {"layer norm", 512, 768, norm, baselineLayerNorm, 1e-4},
      {"layer norm", 128, 384, norm, baselineLayerNorm, 1e-4},
  };
  double least = 1e9;
  for (const Case &item : cases)
    least = std::min(least, measure(item));
  std::printf("least ratio %.2f\n", least);
}
