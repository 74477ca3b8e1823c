// SPDX-License-Identifier: Apache-2.0
// Products whose depth is summed in parts: a launch makes the sums of all parts
// into a temporary, the group's own kernel adds them where it asks for an
// element of the product, whatever else it does.

#include "ProductPlan.h"
#include "Strategy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "smp/codegen/MathLibrary.h"
#include "smp/ir/ModelTypes.h"
#include "smp/ir/Tensors.h"

using namespace mlir;

namespace smp::codegen::cuda {

using ir::tensorOf;

std::vector<Product> splitProducts(ir::GroupOp group) {
  std::vector<Product> products;
  for (Operation &op : group.getBody().front())
    if (std::optional<Product> product = Product::of(&op))
      if (planOf(*product).parts > 1)
        products.push_back(std::move(*product));
  return products;
}

KernelPlan planProducts(ir::GroupOp group) {
  KernelPlan plan = KernelPlan::inOneLaunch(group);
  PlannedLaunch last = std::move(plan.launches.back());
  plan.launches.pop_back();
  const SmallVector<KernelBuffer> operands(last.inputs);
  for (const Product &product : splitProducts(group)) {
    const RankedTensorType type = tensorOf(product.result);
    SmallVector<int64_t> shape{planOf(product).parts};
    llvm::append_range(shape, type.getShape());
    const KernelBuffer sums{KernelBuffer::Kind::Temporary,
                            uint32_t(plan.temporaries.size())};
    plan.temporaries.push_back(ir::toModel(
        RankedTensorType::get(shape, computeType(type.getElementType()))));
    plan.launches.push_back({operands, {sums}});
    last.inputs.push_back(sums);
  }
  plan.launches.push_back(std::move(last));
  return plan;
}

Index placeOfPart(const Product &product, const Index &part,
                  const Position &at) {
  const RankedTensorType type = tensorOf(product.result);
  return part * type.getNumElements() + linearize(at, type.getShape());
}

/// A thread per result and part. Where a part ends before others do, or an
/// element is missing, nothing is added.
void emitPartLoops(KernelFunction &kernel, const Product &product) {
  ElementEmitter &emitter = kernel.emitter;
  const ProductPlan plan = planOf(product);
  Type element = tensorOf(product.result).getElementType();
  SmallVector<int64_t> sizes{plan.parts};
  llvm::append_range(sizes, product.batchSizes);
  sizes.append({product.rows.extent, product.columns.extent});
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  kernel.forEach(count, [&](Index number) {
    const Position at = emitter.split(number, sizes);
    const Position batch(at.begin() + 1, at.end() - 2);
    const Index &row = at[at.size() - 2], &column = at.back();
    auto add = [&](Index k, ValueRange sums) -> SmallVector<Value> {
      const Index depth = at[0] * plan.partDepth + k;
      ProductSide::Conditions conditions;
      addBound(emitter, depth, product.depth, conditions);
      const Position left = product.rows.at(emitter, batch, row, depth,
                                            conditions),
                     right = product.columns.at(emitter, batch, column, depth,
                                                conditions);
      auto sum = [&]() -> SmallVector<Value> {
        return {emitFma(emitter.builder, emitter.location,
                        elementAt(emitter, product.rows, left),
                        elementAt(emitter, product.columns, right), sums[0])};
      };
      if (conditions.empty())
        return sum();
      return emitter.branch(allOf(emitter, conditions), sums.getTypes(), sum,
                            [&] { return SmallVector<Value>(sums); });
    };
    Value sum = emitter.loop(0, plan.partDepth, 1, emitter.constant(element, 0),
                             add)[0];
    emitter.store(
        sum, kernel.temporaryMemory(kernel.part), computeType(element),
        placeOfPart(product, at[0], product.at(emitter, batch, row, column)));
  });
}

void emitProductParts(KernelFunction &kernel, const Product &product) {
  if (planOf(product).isTiled)
    emitProductKernel(kernel, product);
  else
    emitPartLoops(kernel, product);
}

void joinProductParts(KernelFunction &kernel, ArrayRef<Product> products) {
  ElementEmitter &emitter = kernel.emitter;
  for (auto [i, product] : llvm::enumerate(products)) {
    Type element = tensorOf(product.result).getElementType();
    Value memory = kernel.temporaryMemory(unsigned(i));
    emitter.setRule(product.result, [&emitter, &product = product, element,
                                     memory](const Position &at) {
      auto part = [&](const Index &number) {
        return emitter.load(memory, computeType(element),
                            placeOfPart(product, number, at));
      };
      auto add = [&](Index number, ValueRange sums) -> SmallVector<Value> {
        return {arith::AddFOp::create(emitter.builder, emitter.location,
                                      sums[0], part(number))};
      };
      Value sum =
          emitter.loop(1, planOf(product).parts, 1, part(Index(0)), add)[0];
      return emitter.round(sum, element);
    });
  }
}

} // namespace smp::codegen::cuda
