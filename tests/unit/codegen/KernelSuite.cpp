// SPDX-License-Identifier: Apache-2.0
#include "KernelSuite.h"
#include "CompiledModule.h"
#include "mlir/Pass/PassManager.h"
#include "smp/ir/GraphExport.h"
#include "smp/ir/Tensors.h"
#include "smp/model/Philox.h"
#include "smp/model/Reference.h"
#include "smp/passes/catalog/AllPasses.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include <cstdlib>
#include <gtest/gtest.h>

using namespace mlir;
using namespace smp;
using namespace smp::test;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Value Ops::broadcast(Value value, Shape shape, Shape dims) {
  auto element = cast<RankedTensorType>(value.getType()).getElementType();
  return make<ir::BroadcastOp>(RankedTensorType::get(shape, element), value,
                               dims);
}

Value Ops::reshape(Value value, Shape shape) {
  auto element = cast<RankedTensorType>(value.getType()).getElementType();
  return make<ir::ReshapeOp>(RankedTensorType::get(shape, element), value);
}

Value Ops::variable(DType dtype, Shape shape) {
  std::string name = prefix + ".v" + std::to_string(variables++);
  auto type = cast<RankedTensorType>(this->type(dtype, std::move(shape)));
  OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
  // Twins of a case have different variables with the same elements.
  auto initializer =
      ir::UniformAttr::get(b.getContext(), APFloat(-1.0), APFloat(1.0),
                           /*seed=*/7 + variables);
  ir::VariableOp::create(top, b.getUnknownLoc(), name,
                         ir::VariableKind::Parameter, initializer, type);
  return make<ir::ReadOp>(type, name);
}

//===----------------------------------------------------------------------===//
// KernelSuite
//===----------------------------------------------------------------------===//

std::set<std::string> &KernelSuite::testedOps() {
  static std::set<std::string> ops;
  return ops;
}

void KernelSuite::add(std::string name, std::vector<Operand> operands,
                      Bound bound, Build build) {
  Case &item = cases.emplace_back();
  item.name = std::move(name);
  item.operands = std::move(operands);
  item.bound = bound;
  item.build = std::move(build);
}

void KernelSuite::addFault(std::string name, std::vector<HostTensor> inputs,
                           std::vector<std::string> words, Build build) {
  Case &item = cases.emplace_back();
  item.name = std::move(name);
  item.inputs = std::move(inputs);
  item.faultWords = std::move(words);
  item.build = std::move(build);
}

static DictionaryAttr named(OpBuilder &b, const Twine &name) {
  return b.getDictionaryAttr(
      b.getNamedAttr(ir::kNameAttr, b.getStringAttr(name)));
}

/// Adds the case's graph, differentiated and simplified, to `module` as an
/// entry. Arguments are called i0, i1 ..., results o0, o1 ....
static ir::EntryOp addEntry(ModuleOp module, const std::string &name,
                            ArrayRef<smp::TensorType> inputs,
                            const Build &build) {
  Ops ops(module, name);
  OpBuilder &b = ops.b;
  SmallVector<Type> types;
  SmallVector<mlir::Attribute> inputNames, outputNames;
  for (const smp::TensorType &input : inputs) {
    inputNames.push_back(named(b, "i" + Twine(types.size())));
    types.push_back(ir::toMlir(b.getContext(), input));
  }
  b.setInsertionPointToEnd(module.getBody());
  auto entry = ops.make<ir::EntryOp>(name, b.getFunctionType(types, {}),
                                     b.getArrayAttr(inputNames),
                                     b.getArrayAttr({}), ir::Mode::Predict);
  SmallVector<Location> locations(types.size(), b.getUnknownLoc());
  Block *body = b.createBlock(&entry.getBody(), {}, types, locations);
  SmallVector<Value> operands(body->getArguments());
  SmallVector<Value> results = build(ops, operands);
  ops.make<ir::ReturnOp>(results);
  for (size_t i = 0; i < results.size(); ++i)
    outputNames.push_back(named(b, "o" + Twine(i)));
  entry.setFunctionType(
      b.getFunctionType(types, TypeRange(ValueRange(results))));
  entry.setResAttrsAttr(b.getArrayAttr(outputNames));
  PassManager gradients(module.getContext());
  gradients.addPass(passes::createDifferentiatePass());
  gradients.addPass(passes::createCanonicalizePass());
  EXPECT_TRUE(succeeded(gradients.run(module))) << name;
  return entry;
}

/// Pins each op to a random partition; ops that use a variable to one.
static void placeRandomly(ir::EntryOp entry, uint32_t partitions,
                          std::mt19937 &random) {
  llvm::EquivalenceClasses<Operation *> together;
  for (Operation &op : entry.getBody().front().without_terminator()) {
    together.insert(&op);
    for (Value operand : op.getOperands())
      if (auto read = operand.getDefiningOp<ir::ReadOp>())
        together.unionSets(&op, read);
  }
  llvm::DenseMap<Operation *, int64_t> chosen;
  for (Operation &op : entry.getBody().front().without_terminator()) {
    int64_t any = random() % partitions;
    int64_t partition =
        chosen.try_emplace(together.getLeaderValue(&op), any).first->second;
    ir::setPlacement(&op, partition, ir::Origin::User);
  }
}

/// The first values of the module's variables.
static std::map<std::string, HostTensor> variableValues(ModuleOp module) {
  std::map<std::string, HostTensor> values;
  for (auto variable : module.getOps<ir::VariableOp>()) {
    HostTensor value = HostTensor::zeros(ir::toModel(variable.getTensorType()));
    auto initializer = cast<ir::UniformAttr>(variable.getInitializer());
    fillUniform(value.bytes, value.type.dtype,
                initializer.getLow().convertToDouble(),
                initializer.getHigh().convertToDouble(), initializer.getSeed());
    values[variable.getSymName().str()] = std::move(value);
  }
  return values;
}

void KernelSuite::addEntries(ModuleOp module, uint32_t partitions,
                             unsigned placements, std::mt19937 &random) {
  for (auto [number, item] : llvm::enumerate(cases)) {
    for (const Operand &operand : item.operands) {
      item.drawn.push_back({operand, uint32_t(random())});
      item.inputs.push_back(draw(item.drawn.back()));
    }
    std::vector<smp::TensorType> types;
    for (const HostTensor &input : item.inputs)
      types.push_back(input.type);
    std::string name = "c" + std::to_string(number);
    ir::EntryOp plain = addEntry(module, name, types, item.build);
    item.entries.push_back(name);
    const size_t numOps = plain.getBody().front().getOperations().size() - 1;
    for (unsigned p = 0; p < placements && numOps > 1; ++p) {
      std::string twin = name + "_placed" + std::to_string(p);
      placeRandomly(addEntry(module, twin, types, item.build), partitions,
                    random);
      item.entries.push_back(twin);
    }
  }
}

/// Of the deepest product of floats.
static int64_t depthOf(ir::EntryOp entry) {
  int64_t deepest = 0;
  entry.walk([&](Operation *op) {
    if (!isa<ir::DotGeneralOp, ir::ConvOp>(op) ||
        !isa<FloatType>(getElementTypeOrSelf(op->getResult(0))))
      return;
    int64_t depth = 1;
    if (auto dot = dyn_cast<ir::DotGeneralOp>(op))
      for (int64_t dim : dot.getLhsContract())
        depth *= ir::tensorOf(dot.getLhs()).getDimSize(dim);
    else
      for (int64_t size :
           ir::tensorOf(op->getOperand(1)).getShape().drop_front())
        depth *= size;
    deepest = std::max(deepest, depth);
  });
  return deepest;
}

void KernelSuite::evaluateAll(ModuleOp module) {
  const std::map<std::string, HostTensor> variables = variableValues(module);
  const VariableLookup lookup =
      [&](std::string_view name) -> const HostTensor * {
    auto found = variables.find(std::string(name));
    return found == variables.end() ? nullptr : &found->second;
  };
  for (Case &item : cases) {
    auto entry = module.lookupSymbol<ir::EntryOp>(item.entries.front());
    FailureOr<Graph> graph = ir::exportGraph(entry);
    ASSERT_TRUE(succeeded(graph)) << item.name;
    for (const GraphOp &op : graph->ops)
      item.ops.insert(op.mnemonic);
    testedOps().insert(item.ops.begin(), item.ops.end());
    item.depth = depthOf(entry);
    item.expected = evaluate(*graph, item.inputs, lookup);
    ASSERT_EQ(item.expected.ok(), item.faultWords.empty())
        << item.name << ": the reference says: " << item.expected.error;
  }
}

/// `first` is what the case gave before at this level; empty: this is the first
/// time, and the reference decides.
void KernelSuite::checkStep(const Case &item, const std::string &entry,
                            const std::string &where, Session &session,
                            std::vector<HostTensor> &first) {
  StatusOr<std::vector<HostTensor>> results =
      runStep(session, entry, item.inputs);
  if (!item.faultWords.empty()) {
    ASSERT_FALSE(results.ok()) << where << "no error";
    for (const std::string &word : item.faultWords)
      EXPECT_NE(results.status().message().find(word), std::string::npos)
          << where << "no '" << word << "' in: " << results.status().message();
    return;
  }
  ASSERT_TRUE(results.ok()) << where << results.status().message();
  const bool again = !first.empty();
  const std::vector<HostTensor> &wanted = again ? first : item.expected.results;
  ASSERT_EQ(results->size(), wanted.size()) << where;
  for (size_t i = 0; i < wanted.size(); ++i)
    EXPECT_EQ(
        difference(wanted[i], (*results)[i], again ? Bound() : item.bound), "")
        << where << "result " << i << " is not what "
        << (again ? "one core and one partition gave" : "the reference gives");
  if (!again)
    first = results.take();
}

void KernelSuite::record(Session &session,
                         std::span<const std::byte> program) const {
  const char *folder = std::getenv("SMP_TEST_RECORD");
  if (!folder)
    return;
  std::vector<RecordedStep> steps;
  for (const Case &item : cases)
    for (const std::string &entry : item.entries) {
      StatusOr<std::vector<HostTensor>> results =
          runStep(session, entry, item.inputs);
      steps.push_back({entry, item.inputs, {}, "", item.drawn});
      if (results.ok())
        steps.back().results = results.take();
      else
        steps.back().error = results.status().message();
    }
  const testing::TestInfo &test =
      *testing::UnitTest::GetInstance()->current_test_info();
  const Status status = writeRecording(
      std::string(folder) + "/" + test.test_suite_name() + "." + test.name(),
      program, steps);
  EXPECT_TRUE(status.ok()) << status.message();
}

void KernelSuite::compareWithProcessor(
    CompilerContext &context, ModuleOp module, uint32_t partitions,
    std::span<const std::vector<HostTensor>> given) {
  // How the elements of a row are summed is the target's choice.
  const std::set<std::string> free = {"reduce",     "softmax",  "log_softmax",
                                      "layer_norm", "rms_norm", "statistics"};
  // So is how a product of this depth is summed.
  constexpr int64_t kMayBeSplit = 512;
  Machine processor = cpuMachine();
  if (!llvm::is_contained(processor.levels, "v3"))
    return;
  processor.levels = {"v3"};
  std::unique_ptr<CompiledModule> program =
      CompiledModule::compile(context, module, partitions, processor);
  ASSERT_TRUE(program) << context.diagnostics();
  StatusOr<Session> session = program->open(processor, "v3", 1);
  ASSERT_TRUE(session.ok()) << session.status().message();
  unsigned fixed = 0, same = 0;
  for (auto [item, results] : llvm::zip(cases, given)) {
    if (!item.faultWords.empty())
      continue;
    StatusOr<std::vector<HostTensor>> wanted =
        runStep(*session, item.entries.front(), item.inputs);
    ASSERT_TRUE(wanted.ok()) << item.name << wanted.status().message();
    std::string text;
    for (size_t i = 0; i < wanted->size(); ++i)
      text += difference((*wanted)[i], results[i], Bound());
    const bool isFixed =
        item.depth < kMayBeSplit &&
        llvm::none_of(
            item.ops, [&](const std::string &op) { return free.count(op); });
    fixed += isFixed;
    same += text.empty();
    if (isFixed)
      EXPECT_EQ(text, "") << item.name << ": v3 gives other bits";
  }
  std::printf("%u of %zu cases have the bits of x86-64-v3, %u must\n", same,
              cases.size(), fixed);
}

void KernelSuite::run(uint32_t partitions, unsigned placements) {
  SCOPED_TRACE("SMP_TEST_SEED=" + std::to_string(seed));
  const Machine &machine = machineUnderTest();
  std::mt19937 random(seed);
  CompilerContext context;
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(UnknownLoc::get(&context.mlir));
  addEntries(*module, partitions, placements, random);
  ASSERT_NO_FATAL_FAILURE(evaluateAll(*module));
  OwningOpRef<ModuleOp> again = module->clone();
  std::unique_ptr<CompiledModule> program =
      CompiledModule::compile(context, *module, partitions, machine);
  ASSERT_TRUE(program) << context.diagnostics();
  for (const std::string &level : machine.levels) {
    std::vector<std::vector<HostTensor>> first(cases.size());
    for (unsigned cores : machine.coreCounts) {
      StatusOr<Session> session = program->open(machine, level, cores);
      ASSERT_TRUE(session.ok()) << session.status().message();
      for (auto [item, given] : llvm::zip(cases, first))
        for (const std::string &entry : item.entries)
          checkStep(item, entry,
                    item.name + " as " + entry + " at " + level + " on " +
                        std::to_string(cores) + " cores: ",
                    *session, given);
      if (level == machine.levels.front() && cores == 1)
        record(*session, program->bytes());
    }
    // Without results there is nothing to compare.
    if (machine.target != "cpu" && !testing::Test::HasFatalFailure())
      compareWithProcessor(context, *again, partitions, first);
  }
}
