// SPDX-License-Identifier: Apache-2.0
// Activations and the windows that slide over them.

#ifndef SMP_LIB_REFERENCE_WINDOW_H
#define SMP_LIB_REFERENCE_WINDOW_H

#include "Call.h"

namespace smp::reference {

/// An activation's dimensions told apart; strides in elements.
struct Activation {
  Activation(const Shape &shape, bool channelsLast);
  /// The shape of these parts in the same layout.
  static Shape shapeOf(bool channelsLast, int64_t batch, int64_t features,
                       const Shape &spatial);

  int64_t batch, features;
  Shape spatial;
  int64_t batchStride, featureStride;
  Shape spatialStrides;
};

/// A window per spatial dimension over an activation.
struct Window {
  Shape sizes, strides, low, high, dilations;
  Shape input, output; ///< Spatial sizes.

  /// Where position `tap` of the window at `out` falls in dimension `d`.
  int64_t place(size_t d, int64_t out, int64_t tap) const {
    return out * strides[d] + tap * dilations[d] - low[d];
  }
  /// The offset of window position `tap` at `out` into spatial dimensions with
  /// these strides, or -1 when it is outside the input.
  int64_t offset(const Shape &out, const Shape &tap,
                 const Shape &spatialStrides) const;
};

/// Reads strides, low, high and dilations of a call for windows of `sizes` over
/// spatial sizes `input`. Check `failed()` before use.
Window readWindow(Call &call, const Shape &input, Shape sizes);

/// Whether the call's layout is channels_last.
bool readChannelsLast(Call &call);

/// Convolves operand 0 with a filter [outputs, inputs per group, window...] of
/// any width, with the call's strides, low, high and dilations.
void convolve(Call &call, const HostTensor &filter, int64_t groups,
              bool channelsLast);

} // namespace smp::reference

#endif // SMP_LIB_REFERENCE_WINDOW_H
