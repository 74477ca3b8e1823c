// SPDX-License-Identifier: Apache-2.0
// Names the type of files with Magika's trained model, compiled by smp.
//
// How to run it: kUsage below, and the script `run` beside this file.

#include <smp/runtime/Session.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace fs = std::filesystem;

constexpr char kUsage[] =
    "usage: file_type [--mode MODE] PROGRAM MODEL PATH...\n"
    "PROGRAM is the compiled model, MODEL the folder that utils/get-model "
    "prints.\nA PATH is a file, a folder, or - for paths on the standard "
    "input, "
    "one a line.\nMODE is high-confidence, medium-confidence or best-guess.";

nlohmann::json readJson(const fs::path &path) {
  std::ifstream file(path);
  if (!file)
    throw std::runtime_error("cannot open '" + path.string() + "'");
  return nlohmann::json::parse(file);
}

/// What the model was trained with: config.min.json and what is known of types.
struct Model {
  size_t begin, end, block, shortest;
  int32_t padding;
  double medium;
  std::vector<std::string> labels;
  std::map<std::string, double> thresholds;
  std::map<std::string, std::string> overwrite;
  nlohmann::json types;

  explicit Model(const fs::path &folder)
      : types(readJson(folder / "content_types_kb.min.json")) {
    const nlohmann::json config = readJson(folder / "config.min.json");
    begin = config.at("beg_size"), end = config.at("end_size");
    block = config.at("block_size"),
    shortest = config.at("min_file_size_for_dl");
    padding = config.at("padding_token"),
    medium = config.at("medium_confidence_threshold");
    config.at("target_labels_space").get_to(labels);
    config.at("thresholds").get_to(thresholds);
    config.at("overwrite_map").get_to(overwrite);
    if (config.at("mid_size") != 0 || config.at("use_inputs_at_offsets"))
      throw std::runtime_error(
          "this model wants features that file_type does not make");
  }
};

/// Whether all of it is UTF-8: only that can be written as JSON.
bool isUtf8(const std::string &text) try {
  return !nlohmann::json(text).dump().empty();
} catch (const nlohmann::json::type_error &) {
  return false;
}

std::string readAt(std::ifstream &file, uint64_t offset, size_t size) {
  std::string bytes(size, '\0');
  file.seekg(std::streamoff(offset));
  if (!file.read(bytes.data(), std::streamsize(size)))
    throw std::runtime_error("cannot be read");
  return bytes;
}

/// The type of a file that needs no model, or else the model's input: the bytes
/// that the file begins and ends with, white space at both ends left out.
std::string typeOrFeatures(const Model &model, const fs::path &path,
                           int32_t *features) {
  if (fs::exists(path) && !fs::is_regular_file(path))
    return fs::is_directory(path) ? "directory" : "unknown";
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error("cannot be opened");
  const uint64_t size = fs::file_size(path);
  if (size == 0)
    return "empty";
  const size_t part = std::min<uint64_t>(size, model.block);
  const std::string head = readAt(file, 0, part);
  const std::string tail = readAt(file, size - part, part);
  constexpr char kSpace[] = " \t\n\r\v\f";
  const size_t first = std::min(head.find_first_not_of(kSpace), head.size());
  if (size < model.shortest || head.size() - first < model.shortest)
    return isUtf8(head) ? "txt" : "unknown";
  const size_t last = tail.find_last_not_of(kSpace) + 1;
  const size_t fromHead = std::min(head.size() - first, model.begin);
  const size_t fromTail = std::min(last, model.end);
  std::fill_n(features, model.begin + model.end, model.padding);
  auto byte = [](char c) { return int32_t(uint8_t(c)); };
  std::transform(&head[first], &head[first] + fromHead, features, byte);
  std::transform(&tail[last] - fromTail, &tail[last],
                 features + model.begin + model.end - fromTail, byte);
  return "";
}

/// What the model says, unless it is not sure enough of that.
std::string decide(const Model &model, const std::string &mode,
                   const float *scores) {
  const float *best = std::max_element(scores, scores + model.labels.size());
  const std::string &guess = model.labels[size_t(best - scores)];
  auto other = model.overwrite.find(guess);
  const std::string &label =
      other == model.overwrite.end() ? guess : other->second;
  auto strict = model.thresholds.find(guess);
  double needed = mode == "best-guess" ? 0 : model.medium;
  if (mode == "high-confidence" && strict != model.thresholds.end())
    needed = strict->second;
  if (double(*best) >= needed)
    return label;
  return model.types.at(label).at("is_text") ? "txt" : "unknown";
}

template <typename T>
T valueOf(smp::StatusOr<T> result) {
  if (!result.ok())
    throw std::runtime_error(result.status().message());
  return result.take();
}

/// The files of a folder, but for hidden folders; else the path itself.
void collect(const std::string &path, std::vector<fs::path> &files) {
  if (path == "-")
    for (std::string line; std::getline(std::cin, line);)
      files.push_back(line);
  else if (!fs::is_directory(path))
    files.push_back(path);
  else
    for (fs::recursive_directory_iterator i(path), end; i != end; ++i)
      if (i->is_directory() && i->path().filename().string().starts_with('.'))
        i.disable_recursion_pending();
      else if (i->is_regular_file())
        files.push_back(i->path());
}

/// `words`: the program, the model's folder, paths.
void run(const std::vector<std::string> &words, const std::string &mode) {
  const Model model(words[1]);
  smp::Session session = valueOf(smp::Session::open(words[0]));
  std::vector<fs::path> files;
  for (size_t i = 2; i < words.size(); ++i)
    collect(words[i], files);

  constexpr size_t kFilesPerStep = 32; // Each is a microbatch.
  const size_t width = model.begin + model.end;
  std::vector<int32_t> features(kFilesPerStep * width);
  for (size_t start = 0; start < files.size(); start += kFilesPerStep) {
    const size_t count = std::min(kFilesPerStep, files.size() - start);
    std::vector<std::string> types(count);
    std::vector<size_t> asked; // Whose features stand in the batch.
    for (size_t i = 0; i < count; ++i) {
      try {
        types[i] = typeOrFeatures(model, files[start + i],
                                  &features[asked.size() * width]);
        if (types[i].empty())
          asked.push_back(i);
      } catch (const std::exception &error) {
        types[i] = "error: " + std::string(error.what());
      }
    }
    if (!asked.empty()) {
      const int64_t shape[] = {int64_t(asked.size()), int64_t(width)};
      smp::InputTensor input{"bytes",
                             {smp::DType::I32, shape, features.data()}};
      smp::StepOutput output = valueOf(session.step("predict", {&input, 1}));
      const auto scores = valueOf(output.values<float>("target_label"));
      for (size_t i = 0; i < asked.size(); ++i)
        types[asked[i]] =
            decide(model, mode, scores.data() + i * model.labels.size());
    }
    for (size_t i = 0; i < count; ++i)
      std::cout << types[i] << '\t' << files[start + i].string() << '\n';
  }
}

int main(int argc, char **argv) try {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 1 && words[0] == "--help") {
    std::cout << kUsage << "\n";
    return std::cout.flush() ? 0 : 1;
  }
  std::string mode = "high-confidence";
  if (words.size() > 1 && words[0] == "--mode") {
    mode = words[1];
    words.erase(words.begin(), words.begin() + 2);
  }
  if (words.size() < 3 || (mode != "high-confidence" && mode != "best-guess" &&
                           mode != "medium-confidence"))
    throw std::runtime_error(kUsage);
  run(words, mode);
  return std::cout.flush() ? 0 : 1;
} catch (const std::exception &error) {
  std::cerr << "file_type: " << error.what() << '\n';
  return 2;
}
