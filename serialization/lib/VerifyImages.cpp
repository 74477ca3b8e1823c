// SPDX-License-Identifier: Apache-2.0
// Images, and what is said of them.
#include "VerifyParts.h"
#include <algorithm>

namespace smp {

const char *toString(ImageKind kind) {
  static constexpr const char *kNames[] = {"elf", "ptx", "cubin"};
  return kNames[size_t(kind)];
}

/// PTX is handed to the driver as a C string.
static Status verifyPtx(std::span<const std::byte> text, const Where &where) {
  const auto isText = [](std::byte byte) {
    const auto c = char(byte);
    return (c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t';
  };
  const auto odd = std::find_if_not(text.begin(), text.end(), isText);
  if (odd == text.end())
    return Status();
  return where.is("is PTX with the byte " + std::to_string(uint8_t(*odd)) +
                  " at " + std::to_string(odd - text.begin()) +
                  "; it must be ASCII text");
}

/// "sm_80", "sm_90a".
static bool isArchitecture(std::string_view name) {
  if (name.size() < 5 || name.size() > 8 || !name.starts_with("sm_"))
    return false;
  name.remove_prefix(3);
  if (name.back() >= 'a' && name.back() <= 'z')
    name.remove_suffix(1);
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

namespace {
/// Checks what is said of each image.
class InfoVerifier {
public:
  explicit InfoVerifier(const Program &program) : program(program) {}

  Status verify(size_t number, const Where &where) {
    const ImageInfo &info = program.imageInfos[number];
    SMP_RETURN_IF_ERROR(where.field("kind").checkEnum(
        uint8_t(info.kind), 0, uint8_t(ImageKind::Cubin)));
    if (info.kind == ImageKind::Cubin)
      return verifyCubin(info, where);
    if (info.ptx != 0 || !info.architecture.empty())
      return where.is("names PTX and architecture, which only a cubin has");
    return Status();
  }

private:
  Status verifyCubin(const ImageInfo &info, const Where &where) {
    SMP_RETURN_IF_ERROR(where.field("ptx").checkIndex(
        info.ptx, program.images.size(), "images"));
    if (program.imageInfos[info.ptx].kind != ImageKind::Ptx)
      return where.field("ptx").is("is " + std::to_string(info.ptx) +
                                   ", which is no PTX");
    if (!isArchitecture(info.architecture))
      return where.field("architecture")
          .is("is " + quote(info.architecture) +
              "; write it as sm_80 or sm_90a");
    if (!cubins.emplace(info.ptx, info.architecture).second)
      return where.is("is a second cubin of images[" +
                      std::to_string(info.ptx) + "] for " + info.architecture);
    return Status();
  }

  const Program &program;
  std::set<std::pair<uint32_t, std::string_view>> cubins;
};
} // namespace

Status verifyImages(const Program &program) {
  const Where root;
  for (size_t i = 0; i < program.images.size(); ++i)
    if (program.images[i].empty())
      return root.at("images", i).is("is empty");
  if (program.imageInfos.empty())
    return Status();
  if (program.imageInfos.size() != program.images.size())
    return root.field("imageInfos")
        .is("has " + std::to_string(program.imageInfos.size()) +
            " elements; it must have none or " +
            std::to_string(program.images.size()));
  InfoVerifier infos(program);
  for (size_t i = 0; i < program.images.size(); ++i) {
    SMP_RETURN_IF_ERROR(infos.verify(i, root.at("imageInfos", i)));
    if (program.imageInfos[i].kind == ImageKind::Ptx)
      SMP_RETURN_IF_ERROR(verifyPtx(program.images[i], root.at("images", i)));
  }
  return Status();
}

} // namespace smp
