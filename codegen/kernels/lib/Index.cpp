// SPDX-License-Identifier: Apache-2.0
#include "smp/codegen/Index.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <numeric>

using namespace mlir;

namespace smp::codegen {

Index Index::variable(unsigned id) {
  Index index;
  index.terms.push_back({id, 1});
  return index;
}

Index Index::operator+(const Index &other) const {
  Index sum(constant + other.constant);
  auto a = terms.begin(), b = other.terms.begin();
  while (a != terms.end() || b != other.terms.end()) {
    if (b == other.terms.end() || (a != terms.end() && a->first < b->first)) {
      sum.terms.push_back(*a++);
    } else if (a == terms.end() || b->first < a->first) {
      sum.terms.push_back(*b++);
    } else {
      if (int64_t factor = a->second + b->second)
        sum.terms.push_back({a->first, factor});
      ++a, ++b;
    }
  }
  return sum;
}

Index Index::operator*(int64_t factor) const {
  Index product(constant * factor);
  if (factor)
    for (auto [id, coefficient] : terms)
      product.terms.push_back({id, coefficient * factor});
  return product;
}

int64_t Index::coefficient(unsigned id) const {
  for (auto [term, factor] : terms)
    if (term == id)
      return factor;
  return 0;
}

Index Index::substitute(unsigned id, int64_t value) const {
  Index result(constant);
  for (auto term : terms) {
    if (term.first == id)
      result.constant += term.second * value;
    else
      result.terms.push_back(term);
  }
  return result;
}

Index IndexSpace::add(Value value, int64_t min, int64_t max) {
  if (min == max)
    return Index(min);
  variables.push_back({value, min, max});
  return Index::variable(variables.size() - 1);
}

std::pair<int64_t, int64_t> IndexSpace::range(const Index &index) const {
  int64_t low = index.constant, high = index.constant;
  for (auto [id, factor] : index.terms) {
    int64_t a = factor * variables[id].min, b = factor * variables[id].max;
    low += std::min(a, b);
    high += std::max(a, b);
  }
  return {low, high};
}

bool IndexSpace::divide(OpBuilder &builder, Location location,
                        const Index &index, int64_t divisor, Index &quotient,
                        Index &remainder) {
  if (divisor == 1) {
    quotient = index;
    remainder = Index(0);
    return true;
  }
  // index = divisor * whole + rest, with every coefficient of rest below it.
  Index whole, rest;
  whole.constant = index.constant / divisor;
  rest.constant = index.constant % divisor;
  for (auto [id, factor] : index.terms) {
    if (int64_t multiple = factor / divisor)
      whole.terms.push_back({id, multiple});
    if (int64_t left = factor % divisor)
      rest.terms.push_back({id, left});
  }
  auto [low, high] = range(rest);
  if (low >= 0 && high < divisor) {
    quotient = whole;
    remainder = rest;
    return true;
  }
  // rest may pass a multiple of the divisor: it has to be divided at run time,
  // but for a part that stays below the common factor of all others.
  Index fine(rest.constant), coarse;
  int64_t unit = divisor;
  for (auto [id, factor] : rest.terms) {
    if (id == kLane)
      fine.terms.push_back({id, factor});
    else
      coarse.terms.push_back({id, factor});
    if (id != kLane)
      unit = std::gcd(unit, factor);
  }
  auto [fineLow, fineHigh] = range(fine);
  if (fineLow < 0 || fineHigh >= unit) {
    if (rest.coefficient(kLane))
      return false;
    unit = 1;
    coarse = rest;
    fine = Index(0);
  }
  for (auto &term : coarse.terms)
    term.second /= unit;
  coarse.constant /= unit;
  int64_t size = divisor / unit;
  auto [coarseLow, coarseHigh] = range(coarse);
  int64_t shift = coarseLow < 0 ? (-coarseLow + size - 1) / size : 0;
  Value value = emit(builder, location, coarse + Index(shift * size));
  note(Index(size));
  Value by = arith::ConstantIndexOp::create(builder, location, size);
  Value q = arith::DivUIOp::create(builder, location, value, by);
  Value r = arith::RemUIOp::create(builder, location, value, by);
  quotient = whole + add(q, 0, coarseHigh / size + shift) - shift;
  remainder = add(r, 0, size - 1) * unit + fine;
  return true;
}

void IndexSpace::note(const Index &index) const {
  auto [low, high] = range(index);
  greatest = std::max({greatest, -low, high});
}

Value IndexSpace::emit(OpBuilder &builder, Location location,
                       const Index &index) const {
  Value sum;
  Index part;
  note(index);
  for (auto [id, factor] : index.terms) {
    assert(id != kLane && "the lane has no value");
    part = part + Index::variable(id) * factor;
    note(part);
    note(Index::variable(id) * factor);
    note(Index(factor));
    Value term = variables[id].value;
    if (factor != 1) {
      Value by = arith::ConstantIndexOp::create(builder, location, factor);
      term = arith::MulIOp::create(builder, location, term, by,
                                   arith::IntegerOverflowFlags::nsw);
    }
    sum = sum ? arith::AddIOp::create(builder, location, sum, term,
                                      arith::IntegerOverflowFlags::nsw)
                    .getResult()
              : term;
  }
  if (sum && !index.constant)
    return sum;
  Value constant =
      arith::ConstantIndexOp::create(builder, location, index.constant);
  if (!sum)
    return constant;
  return arith::AddIOp::create(builder, location, sum, constant,
                               arith::IntegerOverflowFlags::nsw);
}

Index linearize(ArrayRef<Index> position, ArrayRef<int64_t> shape) {
  Index offset;
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    offset = offset + position[i] * stride;
    stride *= shape[i];
  }
  return offset;
}

} // namespace smp::codegen
