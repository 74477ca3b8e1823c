// SPDX-License-Identifier: Apache-2.0
// f32 matrix products on one core beside OpenBLAS: with a right operand that
// comes with every step, and with constant weights, which are packed at load.
#include "Compiled.h"
#include <cblas.h>
#include <cmath>
#include <cstdio>

using namespace smp;
using namespace smp::bench;

static std::string typeOf(int64_t rows, int64_t columns) {
  return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) +
         "xf32>";
}

/// y = a * b; with `constant`, b is a variable.
static std::string productText(int64_t m, int64_t n, int64_t k, bool constant) {
  std::string a = typeOf(m, k), b = typeOf(k, n), y = typeOf(m, n);
  std::string text;
  if (constant)
    text +=
        "smp.variable @b parameter : " + b + " = #smp.uniform<-1.0, 1.0, 7>\n";
  text += "smp.entry @predict(%a: " + a + " {smp.name = \"a\"}";
  if (!constant)
    text += ", %b: " + b + " {smp.name = \"b\"}";
  text += ") -> (" + y + " {smp.name = \"y\"}) {\n";
  if (constant)
    text += "%b = smp.read @b : " + b + "\n";
  return text +
         "%y = smp.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = "
         "array<i64>, "
         "lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (" +
         a + ", " + b + ") -> " + y + "\nsmp.return %y : " + y + "\n}\n";
}

/// Measures one product; returns the ratio.
static double measure(int64_t m, int64_t n, int64_t k, bool constant) {
  Compiled program(productText(m, n, k, constant));
  Session session = program.open("cpu:0=0");
  Numbers a(size_t(m * k)), b(size_t(k * n)), y(size_t(m * n)),
      expected(size_t(m * n));
  if (constant) {
    auto status =
        session.getVariable("b", {reinterpret_cast<std::byte *>(b.data()),
                                  b.size() * sizeof(float)});
    if (!status.ok())
      std::exit(1);
  }
  int64_t aShape[] = {m, k}, bShape[] = {k, n};
  std::vector<InputTensor> inputs = {{"a", {DType::F32, aShape, a.data()}}};
  if (!constant)
    inputs.push_back({"b", {DType::F32, bShape, b.data()}});
  OutputBinding output{"y", y.data(), y.size() * sizeof(float)};
  StepOptions options;
  options.outputs = {&output, 1};
  auto ours = [&] { orDie(session.step("predict", inputs, options)); };
  auto theirs = [&] {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, int(m), int(n),
                int(k), 1, a.data(), int(k), b.data(), int(n), 0,
                expected.data(), int(n));
  };
  Paired time = timeInTurn(ours, theirs);
  double error = greatestDifference(y.data(), expected.data(), y.size());
  double flops = 2.0 * double(m) * double(n) * double(k) * 1e-9;
  std::printf(
      "%5ldx%5ldx%5ld  %-8s %7.1f %9.1f GF/s  ratio %.3f  difference %.1e\n", m,
      n, k, constant ? "constant" : "given", flops / time.ours,
      flops / time.theirs, time.ratio(), error);
  std::fflush(stdout);
  if (error > 1e-5 * double(k))
    std::exit(1);
  return time.ratio();
}

int main() {
  openblas_set_num_threads(1);
  std::printf("level %s, OpenBLAS core %s, one core each\n",
              levelName().c_str(), openblas_get_corename());
  std::printf("    m     n     k   weights      smp  OpenBLAS\n");
  static constexpr int64_t shapes[][3] = {
      {512, 512, 512},  {1024, 1024, 1024}, {2048, 2048, 2048},
      {1000, 333, 777}, {128, 768, 3072},   {128, 3072, 768}};
  for (bool constant : {false, true}) {
    double logs = 0, least = 1e9;
    for (auto [m, n, k] : shapes) {
      double ratio = measure(m, n, k, constant);
      logs += std::log(ratio);
      least = std::min(least, ratio);
    }
    std::printf("%s: geometric mean %.3f, least %.3f\n",
                constant ? "constant" : "given",
                std::exp(logs / double(std::size(shapes))), least);
  }
}
