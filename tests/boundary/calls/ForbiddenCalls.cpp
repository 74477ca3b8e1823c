// SPDX-License-Identifier: Apache-2.0
// What call-scan is to find.
#include <string>
#include <unistd.h>

const std::string &destroyedAtExit();
const std::string &destroyedAtExit() {
  static const std::string text = "is gone before objects of the application";
  return text;
}

bool raises(int descriptor);
bool raises(int descriptor) { return ::write(descriptor, "x", 1) == 1; }
