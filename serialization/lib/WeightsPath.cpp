// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/WeightsPath.h"
#include "smp/base/Quote.h"

namespace smp {

Status refusePickle(const std::string &path) {
  const size_t dot = path.rfind('.');
  const std::string extension = dot == path.npos ? "" : path.substr(dot);
  if (extension != ".pt" && extension != ".pth")
    return Status();
  return invalidArgument(
      quote(path) +
      " is by its name a pickle of PyTorch, which is code that runs when it is "
      "read; smp reads and writes none. Use .safetensors: in Python, "
      "safetensors.torch.save_file(torch.load(\"model" +
      extension +
      "\", weights_only=True), \"model.safetensors\") makes one of a "
      "state_dict, "
      "and safetensors.torch.load_file reads it");
}

} // namespace smp
