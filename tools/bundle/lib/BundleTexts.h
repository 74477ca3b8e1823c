// SPDX-License-Identifier: Apache-2.0
// The bytes of a tensor of texts: all lengths, their digest, all texts.

#ifndef SMP_TOOLS_BUNDLE_LIB_BUNDLETEXTS_H
#define SMP_TOOLS_BUNDLE_LIB_BUNDLETEXTS_H

#include "smp/base/Status.h"
#include <cstdint>
#include <string_view>
#include <vector>

namespace smp {

struct EncodedTexts {
  std::string bytes;
  uint32_t digest = 0; ///< Masked. It covers lengths as they are in memory.
};

EncodedTexts encodeTexts(const std::vector<std::string> &texts);

/// `count` texts, of bytes with that digest.
StatusOr<std::vector<std::string>> decodeTexts(std::string_view bytes,
                                               uint64_t count, uint32_t digest);

/// The error of bytes with a wrong digest; both are masked.
Status wrongDigest(uint32_t found, uint32_t wanted);

} // namespace smp

#endif // SMP_TOOLS_BUNDLE_LIB_BUNDLETEXTS_H
