// SPDX-License-Identifier: Apache-2.0
// Values separated by commas, as of RFC 4180, in lines of any length.

#ifndef SMP_MODEL_LIB_CSV_H
#define SMP_MODEL_LIB_CSV_H

#include "smp/model/Expected.h"
#include <cstdint>
#include <string_view>
#include <vector>

namespace smp {

struct CsvLine {
  uint32_t number = 0; ///< Of the text, from 1 on.
  std::vector<std::string> fields;
};

/// The lines that have something in a field. Spaces around fields do not count,
/// nor does the mark that some programs begin a text with. O(text).
Expected<std::vector<CsvLine>> readCsv(std::string_view text);

/// A field as it is read, in quotes where it needs them.
std::string csvField(std::string_view value);

} // namespace smp

#endif // SMP_MODEL_LIB_CSV_H
