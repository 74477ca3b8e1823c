// SPDX-License-Identifier: Apache-2.0
#include "ResourceLimit.h"
#include "smp/codegen/cpu/Image.h"

using namespace smp::codegen::cpu;

namespace {

/// `ulimit -f`: passing it ends a process that does not expect it.
TEST(Link, AnObjectThatIsLargerThanFilesMayBeIsAnError) {
  const std::vector<char> object(8192);
  const llvm::ArrayRef<char> objects[] = {object};
  std::string error;
  {
    const smp::test::ResourceLimit limit(RLIMIT_FSIZE, 4096);
    EXPECT_FALSE(linkImage(objects, error).has_value());
  }
  EXPECT_EQ(error, "no room for the objects in memory: File too large");
}

} // namespace
