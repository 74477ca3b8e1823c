// SPDX-License-Identifier: Apache-2.0
// The networks whose training step is compared with PyTorch's.

#ifndef SMP_E2E_TRAINING_NETWORKS_H
#define SMP_E2E_TRAINING_NETWORKS_H

#include "smp/import/GraphBuilder.h"

namespace smp::test {

/// A network with its one batch.
struct Network {
  const char *name; ///< Also of its file in gradients/.
  HostTensor x, target;
  /// The loss, as the output `loss` of the entry `train`.
  StatusOr<Model> (*build)();
};

/// ResNet-18 on 4 images of 64 x 64, with batch normalisation that learns.
Network residualNetwork();
/// The same network as the entry `predict`, from `x` to the scores `y` of
/// classes, by the statistics that it has learnt.
StatusOr<Model> buildResidualPredictor();
/// nanoGPT's network for characters: 4 layers of 4 heads, width 128, blocks of
/// 64, 65 characters, embeddings tied to the output, no bias anywhere.
Network characterTransformer();

} // namespace smp::test

#endif // SMP_E2E_TRAINING_NETWORKS_H
