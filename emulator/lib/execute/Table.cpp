// SPDX-License-Identifier: Apache-2.0
#include "Table.h"

using namespace smp::emulator;

static Table makeTable() {
  Table table;
  addIntegers(table);
  addBits(table);
  addFloats(table);
  addComparisons(table);
  addConversions(table);
  addMoves(table);
  return table;
}

const Table &smp::emulator::instructions() {
  static const Table table = makeTable();
  return table;
}
