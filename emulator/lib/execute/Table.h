// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_EMULATOR_EXECUTE_TABLE_H
#define SMP_EMULATOR_EXECUTE_TABLE_H

#include "../core/Program.h"
#include <map>
#include <string>
#include <string_view>

namespace smp::emulator {

/// How an instruction takes its operands, a letter each, the result first: p a
/// predicate, h, w, d registers of 2, 4, 8 bytes. p|p: a second result may
/// follow.
struct Form {
  Handler handler = nullptr;
  std::string_view operands;
};

/// The instructions that compute, by their whole name: "add.rn.f32".
using Table = std::map<std::string, Form, std::less<>>;

/// All of them.
const Table &instructions();

// The families, a file each.
void addIntegers(Table &table);
void addBits(Table &table);
void addFloats(Table &table);
void addComparisons(Table &table);
void addConversions(Table &table);
void addMoves(Table &table);

} // namespace smp::emulator

#endif // SMP_EMULATOR_EXECUTE_TABLE_H
