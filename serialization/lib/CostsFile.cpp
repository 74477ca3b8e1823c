// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/CostsFile.h"
#include "JsonFields.h"
#include "NumberText.h"
#include "smp/serialization/MappedFile.h"
#include <charconv>

namespace smp {

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// A list with an element per line.
template <typename T, typename Append>
static void appendList(std::string &text, const std::string &indent,
                       const std::vector<T> &list, Append append) {
  text += '[';
  for (size_t i = 0; i < list.size(); ++i) {
    text += (i ? ",\n" : "\n") + indent;
    append(list[i]);
  }
  text += ']';
}

static void append(std::string &text, const KernelCost &kernel) {
  text += "{\"signature\": \"" + hexText(kernel.signature) +
          "\", \"name\": " + jsonLiteral(kernel.name) +
          ", \"seconds\": " + realText(kernel.seconds) +
          ", \"runs\": " + std::to_string(kernel.runs) +
          ", \"flops\": " + realText(kernel.flops) +
          ", \"bytes\": " + realText(kernel.bytes) + "}";
}

static void append(std::string &text, const DeviceCosts &device) {
  const Roofline &roofline = device.roofline;
  text += "{\"kind\": " + jsonLiteral(device.kind) +
          ", \"cores\": " + std::to_string(device.cores) +
          ",\n     \"roofline\": {\"flops_per_second\": " +
          realText(roofline.flopsPerSecond) +
          ", \"bytes_per_second\": " + realText(roofline.bytesPerSecond) +
          ", \"launch_seconds\": " + realText(roofline.launchSeconds) +
          "},\n     \"stage_seconds\": " + realText(device.stageSeconds) +
          ",\n     \"kernels\": ";
  appendList(text, "      ", device.kernels,
             [&](const KernelCost &kernel) { append(text, kernel); });
  text += '}';
}

static void append(std::string &text, const LinkCosts &link) {
  text += "{\"from\": " + jsonLiteral(link.from) +
          ", \"to\": " + jsonLiteral(link.to) +
          ", \"seconds\": " + realText(link.seconds) +
          ", \"bytes_per_second\": " + realText(link.bytesPerSecond) + "}";
}

std::string formatCosts(const Costs &costs) {
  std::string text = "{\n  \"format\": " + jsonLiteral(kCostsFormat) +
                     ",\n  \"version\": " + std::to_string(kCostsVersion) +
                     ",\n  \"devices\": ";
  appendList(text, "    ", costs.devices,
             [&](const DeviceCosts &device) { append(text, device); });
  text += ",\n  \"links\": ";
  appendList(text, "    ", costs.links,
             [&](const LinkCosts &link) { append(text, link); });
  return text + "\n}\n";
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

class CostsReader : JsonFields {
public:
  StatusOr<Costs> read(const JsonTree &root) {
    const Where top;
    SMP_RETURN_IF_ERROR(checkFormat(root));
    Costs costs;
    const auto devices = list(root, "devices", top);
    for (size_t i = 0; i < devices.size(); ++i)
      costs.devices.push_back(device(devices[i], top.at("devices", i)));
    const auto links = list(root, "links", top);
    for (size_t i = 0; i < links.size(); ++i)
      costs.links.push_back(link(links[i], top.at("links", i)));
    SMP_RETURN_IF_ERROR(problems.status());
    if (std::optional<std::string> wrong = checkCosts(costs))
      return dataLoss(*wrong);
    return costs;
  }

private:
  Status checkFormat(const JsonTree &root) {
    const Where top;
    const std::string format = text(root, "format", top);
    const uint64_t version = number(root, "version", top);
    SMP_RETURN_IF_ERROR(problems.status());
    if (format != kCostsFormat)
      return top.field("format").is("is " + quote(format) + "; it must be '" +
                                    kCostsFormat + "'");
    if (version < 1 || version > kCostsVersion)
      return failedPrecondition("version is " + std::to_string(version) +
                                "; this version of smp reads 1 to " +
                                std::to_string(kCostsVersion));
    return Status();
  }

  DeviceCosts device(const JsonTree &value, const Where &where) {
    DeviceCosts device;
    device.kind = text(value, "kind", where);
    device.cores = uint32_t(number(value, "cores", where, UINT32_MAX));
    const JsonTree *speed = member(value, "roofline", where);
    if (speed)
      device.roofline = roofline(*speed, where.field("roofline"));
    device.stageSeconds = real(value, "stage_seconds", where);
    const auto kernels = list(value, "kernels", where);
    for (size_t i = 0; i < kernels.size(); ++i)
      device.kernels.push_back(kernel(kernels[i], where.at("kernels", i)));
    return device;
  }

  Roofline roofline(const JsonTree &value, const Where &where) {
    return {real(value, "flops_per_second", where),
            real(value, "bytes_per_second", where),
            real(value, "launch_seconds", where)};
  }

  KernelCost kernel(const JsonTree &value, const Where &where) {
    KernelCost kernel;
    kernel.signature = signature(value, where);
    kernel.name = text(value, "name", where);
    kernel.seconds = real(value, "seconds", where);
    kernel.runs = number(value, "runs", where);
    kernel.flops = real(value, "flops", where);
    kernel.bytes = real(value, "bytes", where);
    return kernel;
  }

  uint64_t signature(const JsonTree &value, const Where &where) {
    constexpr size_t kDigits = 16;
    const size_t before = problems.count();
    const std::string digits = text(value, "signature", where);
    uint64_t digest = 0;
    const auto [end, code] = std::from_chars(
        digits.data(), digits.data() + digits.size(), digest, 16);
    if (isGoodSince(before) &&
        (digits.size() != kDigits || code != std::errc() ||
         end != digits.data() + digits.size()))
      fail(where.field("signature"),
           "is " + quote(digits) + "; it must be 16 hexadecimal digits");
    return digest;
  }

  LinkCosts link(const JsonTree &value, const Where &where) {
    LinkCosts link;
    link.from = text(value, "from", where);
    link.to = text(value, "to", where);
    link.seconds = real(value, "seconds", where);
    link.bytesPerSecond = real(value, "bytes_per_second", where);
    return link;
  }
};

} // namespace

StatusOr<Costs> parseCosts(std::string_view text) {
  constexpr size_t kDeepest = 8;
  if (text.size() > kMostCostsBytes)
    return invalidArgument("it has " + std::to_string(text.size()) +
                           " bytes; a file of costs has at most " +
                           std::to_string(kMostCostsBytes));
  SMP_ASSIGN_OR_RETURN(JsonTree root, parseJsonObject(text, kDeepest));
  return CostsReader().read(root);
}

StatusOr<Costs> readCosts(const std::string &path) {
  SMP_ASSIGN_OR_RETURN(MappedFile file, MappedFile::open(path));
  const std::span<const std::byte> bytes = file.bytes();
  StatusOr<Costs> costs =
      parseCosts({reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  if (costs.ok())
    return costs;
  return Status(costs.status().code(), "'" + path + "' is no file of costs: " +
                                           costs.status().message() +
                                           "; make one with smp-run --profile");
}

} // namespace smp
