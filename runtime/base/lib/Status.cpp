// SPDX-License-Identifier: Apache-2.0
#include "smp/base/Status.h"

namespace smp {

const char *toString(StatusCode code) {
  switch (code) {
  case StatusCode::Ok:
    return "ok";
  case StatusCode::InvalidArgument:
    return "invalid argument";
  case StatusCode::ResourceExhausted:
    return "resource exhausted";
  case StatusCode::FailedPrecondition:
    return "failed precondition";
  case StatusCode::DataLoss:
    return "data loss";
  case StatusCode::DeadlineExceeded:
    return "deadline exceeded";
  case StatusCode::Cancelled:
    return "cancelled";
  case StatusCode::Unavailable:
    return "unavailable";
  case StatusCode::Internal:
    return "internal error";
  }
  return "unknown status";
}

const std::string &Status::message() const {
  static const std::string &empty = *new std::string;
  return error ? error->message : empty;
}

Status Status::in(const std::string &where) const {
  return ok() ? Status() : Status(code(), where + ": " + message());
}

Status invalidArgument(std::string message) {
  return Status(StatusCode::InvalidArgument, std::move(message));
}
Status failedPrecondition(std::string message) {
  return Status(StatusCode::FailedPrecondition, std::move(message));
}
Status resourceExhausted(std::string message) {
  return Status(StatusCode::ResourceExhausted, std::move(message));
}
Status dataLoss(std::string message) {
  return Status(StatusCode::DataLoss, std::move(message));
}
Status unavailable(std::string message) {
  return Status(StatusCode::Unavailable, std::move(message));
}
Status internalError(std::string message) {
  return Status(StatusCode::Internal, std::move(message));
}

} // namespace smp
