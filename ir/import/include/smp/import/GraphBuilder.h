// SPDX-License-Identifier: Apache-2.0
// Models built op by op in C++.
//
//   smp::GraphBuilder g;
//   smp::Tensor x = g.input("x", {smp::DType::F32, {8, 16}}, /*batchAxis=*/0);
//   g.output("y", g.relu(smp::layers::linear(g, x, 4, "fc")), 0);
//   smp::StatusOr<smp::Model> model = std::move(g).finish();

#ifndef SMP_IMPORT_GRAPHBUILDER_H
#define SMP_IMPORT_GRAPHBUILDER_H

#include "smp/base/Status.h"
#include "smp/import/Model.h"
#include "smp/import/OpArguments.h"
#include "smp/import/Partition.h"
#include "smp/model/Optimizer.h"
#include <string_view>

namespace smp {

/// Makes a model. The ops are those of docs/generated/SmpOps.md, with operands
/// broadcast as numpy does and axes counted from the end when negative. The
/// first mistake is kept, with the name of the op, and returned by finish();
/// calls after it do nothing. For one thread at a time.
class GraphBuilder {
public:
  /// `name` is what messages call the model; `seed` is that of random first
  /// values and of what is drawn in steps.
  explicit GraphBuilder(std::string name = "model", uint64_t seed = 0);
  GraphBuilder(const GraphBuilder &) = delete;
  GraphBuilder &operator=(const GraphBuilder &) = delete;
  ~GraphBuilder();

  //===-- Structure -------------------------------------------------------===//

  /// Begins an entry; inputs, ops and outputs belong to it until the next.
  /// Without this call there is one entry, `predict`, in which no
  /// DistributedModel is called. An entry as a function: smp/import/Step.h.
  void beginEntry(std::string_view name, EntryMode mode = EntryMode::Predict);
  /// An input of the entry. `batchAxis` is the dimension that microbatches are
  /// split along.
  Tensor input(std::string_view name, TensorType type,
               int64_t batchAxis = kNoBatchAxis);
  /// Makes `x` an output of the entry. Of a step, as one that is trained,
  /// `batchAxis` is the dimension that microbatches are joined along; without
  /// one each keeps its value. Else what becomes of several microbatches is
  /// proved from the batch axes of inputs: rows are joined, or all give the
  /// same, or a step may have one only. An axis that is given is checked then;
  /// it tells dimensions of size 1 apart.
  void output(std::string_view name, const Tensor &x,
              int64_t batchAxis = kNoBatchAxis);
  /// The same, with what becomes of the values of microbatches said.
  void output(std::string_view name, const Tensor &x, JoinBy join);

  /// What the entry is run for.
  EntryMode mode() const;

  /// A scope of names: what is made inside is called `name/...`.
  NameScope scope(std::string_view name);
  /// Calls the op that makes `x` by this name, within the scopes around.
  Tensor named(const Tensor &x, std::string_view name);

  /// Declares a variable. All entries share variables: one that another entry
  /// declared is the same, if the type is. In one entry names are unique.
  VariableRef variable(std::string_view name, TensorType type,
                       const InitialValue &value,
                       VariableRole role = VariableRole::Parameter);
  /// The value at the start of the step.
  Tensor read(const VariableRef &variable);
  /// Declares a parameter and reads it.
  Tensor parameter(std::string_view name, TensorType type,
                   const InitialValue &value);
  /// Gives the variable a new value at the end of the step.
  void assign(const VariableRef &variable, const Tensor &value);

  /// Checks all of it. The builder and its tensors are of no use after.
  StatusOr<Model> finish() &&;
  /// The first error, or ok.
  const Status &status() const;
  /// Keeps an error of the caller's own, unless there was one before.
  void fail(std::string message);

  //===-- Constants -------------------------------------------------------===//

  Tensor constant(double value, DType dtype = DType::F32);
  /// Large ones become variables of role Constant.
  Tensor constant(const HostTensor &elements);
  /// Row-major; each is rounded to the element type.
  Tensor constant(TensorType type, const std::vector<double> &elements);
  Tensor splat(TensorType type, double value);
  /// Each element is its index along `dimension`.
  Tensor iota(TensorType type, int64_t dimension);

  //===-- Elementwise, one operand ----------------------------------------===//

  Tensor abs(const Tensor &x);
  Tensor neg(const Tensor &x);
  Tensor sign(const Tensor &x);
  Tensor bitNot(const Tensor &x);
  Tensor exp(const Tensor &x);
  Tensor log(const Tensor &x);
  Tensor log1p(const Tensor &x);
  Tensor expm1(const Tensor &x);
  Tensor sqrt(const Tensor &x);
  Tensor rsqrt(const Tensor &x);
  Tensor tanh(const Tensor &x);
  Tensor erf(const Tensor &x);
  Tensor sin(const Tensor &x);
  Tensor cos(const Tensor &x);
  Tensor tan(const Tensor &x);
  Tensor asin(const Tensor &x);
  Tensor acos(const Tensor &x);
  Tensor atan(const Tensor &x);
  Tensor sinh(const Tensor &x);
  Tensor cosh(const Tensor &x);
  Tensor asinh(const Tensor &x);
  Tensor acosh(const Tensor &x);
  Tensor atanh(const Tensor &x);
  Tensor floor(const Tensor &x);
  Tensor ceil(const Tensor &x);
  Tensor round(const Tensor &x);
  Tensor isNan(const Tensor &x);
  Tensor isInf(const Tensor &x);
  Tensor relu(const Tensor &x);
  Tensor sigmoid(const Tensor &x);
  Tensor silu(const Tensor &x);
  Tensor softplus(const Tensor &x);
  Tensor gelu(const Tensor &x, Gelu form = Gelu::Exact);
  Tensor convert(const Tensor &x, DType dtype);
  /// The same bits as numbers of another type of as many.
  Tensor bitCast(const Tensor &x, DType dtype);

  //===-- Elementwise, several operands -----------------------------------===//

  Tensor add(const Operand &x, const Operand &y);
  Tensor sub(const Operand &x, const Operand &y);
  Tensor mul(const Operand &x, const Operand &y);
  Tensor div(const Operand &x, const Operand &y);
  Tensor rem(const Operand &x, const Operand &y);
  Tensor pow(const Operand &x, const Operand &y);
  Tensor max(const Operand &x, const Operand &y);
  Tensor min(const Operand &x, const Operand &y);
  Tensor bitAnd(const Operand &x, const Operand &y);
  Tensor bitOr(const Operand &x, const Operand &y);
  Tensor bitXor(const Operand &x, const Operand &y);
  Tensor shiftLeft(const Operand &x, const Operand &y);
  Tensor shiftRight(const Operand &x, const Operand &y);
  /// x * y + z, rounded once where the processor's level can do that.
  Tensor fma(const Operand &x, const Operand &y, const Operand &z);
  Tensor compare(Comparison comparison, const Operand &x, const Operand &y);
  Tensor select(const Tensor &condition, const Operand &onTrue,
                const Operand &onFalse);

  //===-- Shape -----------------------------------------------------------===//

  /// One size may be -1: what is left.
  Tensor reshape(const Tensor &x, const Shape &shape);
  /// Result dimension i is dimension permutation[i] of x.
  Tensor transpose(const Tensor &x, const Axes &permutation);
  /// numpy's broadcast_to.
  Tensor broadcast(const Tensor &x, const Shape &shape);
  /// Dimension i of x becomes dimension dimensions[i] of the result.
  Tensor broadcast(const Tensor &x, const Shape &shape, const Axes &dimensions);
  /// Elements start, start + stride, ... below limit, per dimension. Without
  /// strides: all ones.
  Tensor slice(const Tensor &x, const Axes &starts, const Axes &limits,
               const Axes &strides = {});
  Tensor reverse(const Tensor &x, const Axes &dimensions);
  /// Adds elements before and after; negative counts remove.
  Tensor pad(const Tensor &x, const Axes &low, const Axes &high,
             double value = 0, PadKind kind = PadKind::Constant,
             const Axes &interior = {});
  Tensor concat(const std::vector<Tensor> &inputs, int64_t axis);

  //===-- Products, windows, reductions -----------------------------------===//

  /// numpy's matmul.
  Tensor matmul(const Tensor &x, const Tensor &y);
  /// Sums of products over contracting dimensions, per batch.
  Tensor dotGeneral(const Tensor &x, const Tensor &y, const DotAxes &axes);
  /// The filter is [out, in / groups, window...].
  Tensor conv(const Tensor &x, const Tensor &filter, const Window &window = {},
              int64_t groups = 1);
  Tensor windowReduce(Reduction kind, const Tensor &x, const Window &window);
  /// The mean under a window: of the positions inside of x or, `padding`
  /// Counted, of all.
  Tensor avgPool(const Tensor &x, const Window &window,
                 AvgPadding padding = AvgPadding::Excluded);
  Tensor maxPool(const Tensor &x, const Window &window);
  /// Without axes: over all dimensions.
  Tensor reduce(Reduction kind, const Tensor &x, const Axes &axes = {},
                KeepDims keep = KeepDims::No);
  Tensor sum(const Tensor &x, const Axes &axes = {},
             KeepDims keep = KeepDims::No);
  Tensor mean(const Tensor &x, const Axes &axes = {},
              KeepDims keep = KeepDims::No);
  /// The index of the greatest or least element along an axis; of equal ones
  /// the first.
  Tensor argMax(const Tensor &x, int64_t axis);
  Tensor argMin(const Tensor &x, int64_t axis);
  /// Running combination along an axis.
  Tensor scan(Reduction kind, const Tensor &x, int64_t axis,
              ScanForm form = {});

  //===-- Composites ------------------------------------------------------===//

  Tensor softmax(const Tensor &x, int64_t axis = -1);
  Tensor logSoftmax(const Tensor &x, int64_t axis = -1);
  /// Over the dimensions from `axis` on, of whose shape scale and bias are.
  Tensor layerNorm(const Tensor &x, const Tensor &scale, const Tensor &bias,
                   int64_t axis = -1, double epsilon = 1e-5);
  Tensor rmsNorm(const Tensor &x, const Tensor &scale, int64_t axis = -1,
                 double epsilon = 1e-5);
  /// With given statistics; the four vectors lie along `axis`.
  Tensor batchNorm(const Tensor &x, const Tensor &scale, const Tensor &bias,
                   const Tensor &mean, const Tensor &variance, int64_t axis = 1,
                   double epsilon = 1e-5);

  //===-- Indexing --------------------------------------------------------===//

  /// An index out of range fails the step.
  Tensor gather(const Tensor &x, const Tensor &indices, int64_t axis = 0);
  Tensor gatherElements(const Tensor &x, const Tensor &indices, int64_t axis);
  Tensor gatherNd(const Tensor &x, const Tensor &indices,
                  int64_t batchDims = 0);
  Tensor scatterElements(const Tensor &x, const Tensor &indices,
                         const Tensor &updates, int64_t axis,
                         Scatter kind = Scatter::Replace);
  Tensor scatterNd(const Tensor &x, const Tensor &indices,
                   const Tensor &updates, Scatter kind = Scatter::Replace);
  TopK topK(const Tensor &x, int64_t k, int64_t axis = -1,
            TopKOf which = TopKOf::Largest);

  //===-- Gradients -------------------------------------------------------===//

  /// The derivatives of a loss, one float, with respect to each of `values`,
  /// floats that it is computed from. They are tensors as others are: a loss
  /// may depend on them. Empty after an error.
  std::vector<Tensor> gradients(const Tensor &loss,
                                const std::vector<Tensor> &values);
  /// `x`, which no gradient passes.
  Tensor stopGradient(const Tensor &x);

  //===-- Training --------------------------------------------------------===//

  /// Makes a step of the entry, whose mode is Train, end with a step of the
  /// optimizer down the gradient of `loss`, one float; with several
  /// microbatches, of the mean of theirs. All parameters that the entry reads
  /// and the optimizer does not freeze are trained. The loss is an output,
  /// named `loss` unless output() names it. More outputs:
  /// `learning_rate` and, where the optimizer limits it, `gradient_norm`.
  void train(const Tensor &loss, const Optimizer &optimizer);
  /// How many microbatches a step of the entry has. Matters only for entries
  /// that compute something per step: those that are trained, assign or
  /// accumulate. 1 without this call.
  void microbatches(int64_t count);
  /// In what type the entry's products of f32 take and give values: BF16, F16
  /// or F32, the default. All arithmetic and all variables stay F32. Less
  /// memory is needed for gradients, whose numbers are coarser. With F16 the
  /// loss that is differentiated is scaled, by a factor that follows from what
  /// the gradients are (`optimizer/loss_scale`), and a step whose gradients are
  /// not finite changes nothing else.
  void precision(DType type);
  /// A region whose values need not be kept until gradients need them: they are
  /// computed again then, from what goes into the region. More time for less
  /// memory; the numbers are the same. An inner scope may be `enabled` or not.
  RecomputeScope recompute(bool enabled = true);
  /// The mean or sum of `x` over the microbatches of a step, in their order.
  Tensor accumulate(const Tensor &x, Accumulation kind = Accumulation::Mean);
  /// The number of the microbatch in its step, from 0: an i64[1].
  Tensor microbatch();
  /// Floats (f32) drawn uniformly from [0, 1), others with each call, step and
  /// microbatch. They follow from the builder's seed: not from where and how
  /// the model is run.
  Tensor random(TensorType type);

private:
  friend class DistributedModel;
  friend class NameScope;
  friend class RecomputeScope;
  friend class StepScope;
  std::unique_ptr<frontend::BuilderState> state;
};

} // namespace smp

#endif // SMP_IMPORT_GRAPHBUILDER_H
