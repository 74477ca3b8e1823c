// SPDX-License-Identifier: Apache-2.0
#include "RankSecret.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

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
  std::FILE *opened = std::fopen(file.c_str(), "rb");
  if (!opened)
    return unavailable("cannot read the secret in '" + file +
                       "': " + std::strerror(errno));
  std::string secret(kMostBytes + 1, '\0');
  secret.resize(std::fread(secret.data(), 1, secret.size(), opened));
  const bool failed = std::ferror(opened);
  std::fclose(opened);
  if (failed)
    return unavailable("cannot read the secret in '" + file + "'");
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
