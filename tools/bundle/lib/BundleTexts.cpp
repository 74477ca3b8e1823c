// SPDX-License-Identifier: Apache-2.0
#include "BundleTexts.h"
#include "MaskedCrc.h"
#include "Varint.h"

namespace smp {

static uint32_t extend(uint32_t crc, std::string_view bytes) {
  return crc32c(std::as_bytes(std::span(bytes)), crc);
}

/// A length counts with four bytes, or with eight where it needs them.
static uint32_t extendByLength(uint32_t crc, uint64_t length) {
  std::string bytes;
  if (length <= UINT32_MAX)
    appendFixed32(bytes, uint32_t(length));
  else
    appendFixed64(bytes, length);
  return extend(crc, bytes);
}

EncodedTexts encodeTexts(const std::vector<std::string> &texts) {
  EncodedTexts result;
  uint32_t crc = 0;
  for (const std::string &text : texts) {
    appendVarint(result.bytes, text.size());
    crc = extendByLength(crc, text.size());
  }
  std::string lengths;
  appendFixed32(lengths, maskCrc(crc));
  result.bytes += lengths;
  crc = extend(crc, lengths);
  for (const std::string &text : texts) {
    result.bytes += text;
    crc = extend(crc, text);
  }
  result.digest = maskCrc(crc);
  return result;
}

Status wrongDigest(uint32_t found, uint32_t wanted) {
  return dataLoss("its masked CRC-32C is " + std::to_string(found) +
                  "; that of what was written is " + std::to_string(wanted));
}

StatusOr<std::vector<std::string>>
decodeTexts(std::string_view bytes, uint64_t count, uint32_t digest) {
  if (count > bytes.size())
    return dataLoss("it has " + std::to_string(bytes.size()) + " bytes for " +
                    std::to_string(count) + " texts");
  std::string_view rest = bytes;
  std::vector<uint64_t> lengths;
  uint32_t crc = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const auto length = takeVarint(rest);
    if (!length)
      return dataLoss("the length of text " + std::to_string(i) + " is cut");
    lengths.push_back(*length);
    crc = extendByLength(crc, *length);
  }
  if (rest.size() < 4)
    return dataLoss("the digest of its lengths is cut");
  if (const uint32_t wanted = loadFixed32(rest, 0); maskCrc(crc) != wanted)
    return wrongDigest(maskCrc(crc), wanted).in("the lengths");
  crc = maskCrc(extend(crc, rest));
  if (crc != digest)
    return wrongDigest(crc, digest);
  rest.remove_prefix(4);
  std::vector<std::string> texts;
  for (const uint64_t length : lengths) {
    if (length > rest.size())
      return dataLoss("text " + std::to_string(texts.size()) + " has " +
                      std::to_string(length) + " bytes, of " +
                      std::to_string(rest.size()) + " that are left");
    texts.emplace_back(rest.substr(0, length));
    rest.remove_prefix(length);
  }
  if (!rest.empty())
    return dataLoss("it has " + std::to_string(rest.size()) +
                    " bytes behind its last text");
  return texts;
}

} // namespace smp
