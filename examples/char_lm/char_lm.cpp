// SPDX-License-Identifier: Apache-2.0
#include "CharModel.h"
#include "smp/compile/CompileModel.h"
#include "smp/runtime/Session.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace smp;

int main(int argc, char **argv) {
  std::ifstream f(argv[1]);
  std::stringstream ss;
  ss << f.rdbuf();
  std::string text = ss.str();
  char_lm::Shape shape;
  int parts = argc > 2 ? atoi(argv[2]) : 1;
  shape.microbatches = argc > 3 ? atoi(argv[3]) : 1;
  shape.batch = 12 / shape.microbatches;
  int steps = argc > 4 ? atoi(argv[4]) : 20;
  std::string devices = argc > 5 ? argv[5] : "";
  std::set<char> set(text.begin(), text.end());
  std::map<char, int64_t> id;
  for (char c : set)
    id.emplace(c, int64_t(id.size()));
  shape.characters = int64_t(id.size());
  std::vector<int64_t> data;
  for (char c : text)
    data.push_back(id[c]);
  size_t n = data.size() * 9 / 10;
  auto model = char_lm::buildModel(shape);
  if (!model.ok()) {
    printf("%s\n", model.status().message().c_str());
    return 1;
  }
  if (getenv("WRITE")) {
    auto m = model.take();
    return compile::writeModel(m, "/tmp/char.mlir").ok() ? 0 : 1;
  }
  compile::ModelOptions options;
  options.placement = passes::PlacementOptions{};
  options.placement->partitions = parts;
  std::string plan;
  options.plan = &plan;
  options.levels = {"v4"};
  auto compiled = compile::compileModel(model.take(), options);
  if (!compiled.ok()) {
    printf("%s\n", compiled.status().message().c_str());
    return 1;
  }
  if (!compiled->write("/tmp/char.smp").ok())
    return 1;
  puts(plan.c_str());
  SessionOptions so;
  so.devices = devices;
  bool trace = getenv("TRACE");
  std::map<std::string, double> sums;
  bool on = false;
  if (trace)
    so.profile = [&](std::string_view, std::span<const ProfileSpan> spans) {
      if (on)
        for (auto &s : spans)
          sums[std::string(s.kind == ProfileSpan::Kind::Stage ? "STAGE " : "") +
               std::string(s.name)] += double(s.end - s.begin) * 1e-6;
    };
  auto session = Session::open("/tmp/char.smp", so);
  if (!session.ok()) {
    printf("%s\n", session.status().message().c_str());
    return 1;
  }
  uint64_t state = 1;
  const int64_t B = 12, T = shape.block;
  std::vector<int64_t> x(B * T), y(B * T);
  auto start = std::chrono::steady_clock::now();
  for (int s = 0; s < steps; ++s) {
    on = s >= 5;
    for (int64_t b = 0; b < B; ++b) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      size_t at = (state >> 33) % (n - T - 1);
      for (int64_t t = 0; t < T; ++t)
        x[b * T + t] = data[at + t], y[b * T + t] = data[at + t + 1];
    }
    const int64_t dims[] = {B, T};
    InputTensor in[] = {{"tokens", {DType::I64, dims, x.data()}},
                        {"targets", {DType::I64, dims, y.data()}}};
    auto out = session->step("train", in);
    if (!out.ok()) {
      printf("%s\n", out.status().message().c_str());
      return 1;
    }
    if (s == 5)
      start = std::chrono::steady_clock::now();
    if (s < 5 || s % 100 == 0 || s + 1 == steps) {
      double loss = 0;
      auto *l = out->find("loss");
      for (uint32_t m = 0; m < l->microbatches; ++m)
        loss += *(const float *)l->microbatch(m) / l->microbatches;
      printf("%d loss %.9g lr %g norm %.9g  %.2f ms\n", s, loss,
             *(float *)out->find("learning_rate")->data,
             *(float *)out->find("gradient_norm")->data,
             s > 5 ? std::chrono::duration<double>(
                         std::chrono::steady_clock::now() - start)
                             .count() *
                         1e3 / (s - 5)
                   : 0.0);
      fflush(stdout);
    }
  }
  if (getenv("DUMP"))
    for (auto &v : session->variables()) {
      if (v.dtype != DType::F32)
        continue;
      size_t count = 1;
      for (auto d : v.shape)
        count *= size_t(d);
      std::vector<float> data2(count);
      if (!session
               ->getVariable(v.name, std::as_writable_bytes(std::span(data2)))
               .ok())
        return 1;
      double sum = 0, sq = 0;
      for (float f : data2)
        sum += f, sq += double(f) * f;
      printf("VAR %s %.9g %.9g\n", v.name.c_str(), sum, sq);
    }
  for (auto &t : session->stageTimes())
    printf("%s %s p%u predicted %.3f measured %.3f ms x %lu\n", t.entry.c_str(),
           t.stage.c_str(), t.partition, t.predictedSeconds * 1e3,
           t.measuredSeconds * 1e3, t.runs);
  std::vector<std::pair<double, std::string>> v;
  for (auto &[k, d] : sums)
    v.push_back({d / (steps - 5), k});
  std::sort(v.rbegin(), v.rend());
  for (auto &[d, k] : v)
    if (d > 0.03)
      printf("%8.3f ms  %s\n", d, k.c_str());
}
