// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_EMULATOR_DECODE_DECODER_H
#define SMP_EMULATOR_DECODE_DECODER_H

#include "../core/Program.h"
#include "../execute/Table.h"
#include "../ptx/Syntax.h"
#include <map>
#include <memory>
#include <set>

namespace smp::emulator {

/// Calls make a text so many times as long at most.
inline constexpr uint64_t kMaxGrowth = 16;

/// Makes the program of one kernel. Functions that it calls become part of it,
/// once per call.
class Decoder {
public:
  /// `addresses`: of the module's variables, 0 for those of shared memory.
  /// `budget`: so many bytes of text may be decoded, once per call; what is
  /// decoded is taken off.
  Decoder(const SourceModule &module, const std::vector<uint64_t> &addresses,
          uint64_t &budget)
      : module(module), addresses(addresses), budget(budget) {}

  /// Null on an error, which error() then says with its line.
  std::unique_ptr<Program> decode(const Function &kernel);
  const std::string &error() const { return message; }

private:
  /// A function within the program.
  struct Frame {
    const Function *function = nullptr;
    bool isKernel = false;
    std::map<int32_t, Ref> registers;
    std::map<int32_t, uint64_t> places; ///< Of what is in local memory.
    std::map<std::string_view, uint32_t> labels;
    /// Instructions whose targets are labels.
    std::vector<std::pair<uint32_t, std::string_view>> branches;
    std::vector<uint32_t> returns;               ///< Branches behind the end.
    std::map<std::string_view, uint32_t> tables; ///< Of .branchtargets.
  };

  bool fail(const std::string &what);

  // Decoder.cpp
  bool placeParameters(const Function &kernel);
  bool placeVariables(const Function &kernel);
  uint64_t placeShared(const Declared &array, uint64_t offset);
  std::set<const Function *> reach(const Function &kernel) const;
  const Function *find(std::string_view name) const;
  bool enter(const Function &function);
  bool decodeFunction(Frame &frame);
  bool finish(Frame &frame);
  bool decodeStatement();
  Instruction &emit(Handler handler);
  void emitAs(Instruction made);
  std::string name() const;

  // Operands.cpp
  Ref allocate(char form);
  Ref constant(char form, uint64_t value);
  Ref special(std::string_view name, char form);
  bool isKernelParameter(const SourceOperand &operand) const;
  bool variable(const SourceOperand &operand, uint64_t &address, Space &space);
  const Declared *declaredOf(const SourceOperand &operand) const;
  bool registerOf(const SourceOperand &operand, char form, Ref &ref);
  bool source(const SourceOperand &operand, char form, Ref &ref);
  bool destination(const SourceOperand &operand, char form, Ref &ref);
  bool operands(std::string_view form, Instruction &into, size_t count);
  char formOf(const SourceOperand &operand) const;

  // Compute.cpp
  bool decodeCompute();
  bool decodeConversion();
  bool decodeMove();
  bool decodePack(const SourceOperand &parts, bool packs);
  bool decodeAddressConversion();

  // MemoryAccess.cpp
  bool decodeMemory();
  bool decodeLoadStore();
  bool decodeAtomic();
  bool decodeAsyncCopy();
  bool address(const SourceOperand &operand, Instruction &into);
  bool accessModifiers(Instruction &into, Type &type);

  // Control.cpp
  bool decodeControl(bool &found);
  bool decodeBranch();
  bool decodeIndexedBranch();
  bool decodeCall();
  bool decodeReturn();
  bool decodeBarrier();
  bool decodeCollective(bool &found);

  const SourceModule &module;
  const std::vector<uint64_t> &addresses;
  uint64_t &budget;
  std::unique_ptr<Program> program;
  std::map<std::pair<char, uint64_t>, Ref> constants;
  std::map<std::pair<std::string, char>, Ref> specials;
  /// Of .shared arrays, by their declarations.
  std::map<const Declared *, uint64_t> sharedPlaces;
  std::map<std::string_view, uint32_t> parameterOffsets;
  Frame *frame = nullptr;
  const Statement *statement = nullptr;
  const Statement *sourced = nullptr;  ///< Of the last of the sources.
  std::vector<const Function *> calls; ///< From the kernel to here.
  std::string message;
};

} // namespace smp::emulator

#endif // SMP_EMULATOR_DECODE_DECODER_H
