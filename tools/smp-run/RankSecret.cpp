// SPDX-License-Identifier: Apache-2.0
#include "RankSecret.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace smp {

static StatusOr<std::string> fromEnvironment() {
  const char *value = std::getenv(kRankSecretName);
  if (!value)
    return std::string();
  if (!*value)
    return invalidArgument(std::string(kRankSecretName) +
                           " is empty; give it the secret, or unset it");
  return std::string(value);
}

StatusOr<std::string> readRankSecret(const std::string &file) {
  if (file.empty())
    return fromEnvironment();
  constexpr size_t kMostBytes = 4096;
  std::ifstream opened(file, std::ios::binary);
  if (!opened)
    return unavailable("cannot read the secret in '" + file +
                       "': " + std::strerror(errno));
  std::string secret(kMostBytes + 1, '\0');
  opened.read(secret.data(), std::streamsize(secret.size()));
  if (opened.bad())
    return unavailable("cannot read the secret in '" + file + "'");
  secret.resize(size_t(opened.gcount()));
  if (secret.size() > kMostBytes)
    return invalidArgument("'" + file + "' has more than " +
                           std::to_string(kMostBytes) +
                           " bytes, too many for a secret");
  if (!secret.empty() && secret.back() == '\n')
    secret.pop_back();
  if (!secret.empty() && secret.back() == '\r')
    secret.pop_back();
  if (secret.empty())
    return invalidArgument("there is no secret in '" + file + "'");
  return secret;
}

} // namespace smp
