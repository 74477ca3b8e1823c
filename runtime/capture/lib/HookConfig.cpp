// SPDX-License-Identifier: Apache-2.0
#include "smp/capture/HookConfig.h"
#include "Collections.h"
#include "smp/base/Quote.h"

namespace smp {

Status checkHookConfig(const HookConfig &config) {
  if (config.includeWorkers != "one" && config.includeWorkers != "all")
    return invalidArgument("include_workers is " +
                           quote(config.includeWorkers) +
                           "; it must be 'one' or 'all'");
  if (exportsTensorboard(config) && config.outDir.empty() && !config.dryRun)
    return invalidArgument(
        "TensorBoard is to be exported to, but the hook writes nothing; give "
        "it an outDir");
  return Collections::of(config).status();
}

} // namespace smp
