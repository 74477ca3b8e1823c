// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/TensorboardEvent.h"
#include "EventFraming.h"
#include "Proto.h"

namespace smp {

using namespace event;

constexpr std::string_view kVersion = "brain.Event:2";
constexpr uint64_t kStart = 1; // A status of SessionLog.

static void append(const ProtoWriter &event, std::vector<std::byte> &file) {
  appendFramed(event.all(), maskedCrc32c(event.all()), file);
}

static ProtoWriter eventOf(double wallTime, uint64_t step) {
  ProtoWriter event;
  event.real(uint32_t(Event::WallTime), wallTime);
  event.number(uint32_t(Event::Step), step);
  return event;
}

void appendTensorboardVersion(double wallTime, std::vector<std::byte> &file) {
  ProtoWriter event;
  event.real(uint32_t(Event::WallTime), wallTime);
  event.text(uint32_t(Event::FileVersion), kVersion);
  append(event, file);
}

void appendSessionStart(double wallTime, uint64_t step,
                        std::vector<std::byte> &file) {
  ProtoWriter event = eventOf(wallTime, step), log;
  log.number(uint32_t(SessionLog::Status), kStart);
  event.message(uint32_t(Event::SessionLog), log);
  append(event, file);
}

/// `value` has the tag too.
static void appendSummary(double wallTime, uint64_t step,
                          const ProtoWriter &value,
                          std::vector<std::byte> &file) {
  ProtoWriter event = eventOf(wallTime, step), summary;
  summary.message(uint32_t(Summary::Value), value);
  event.message(uint32_t(Event::Summary), summary);
  append(event, file);
}

void appendScalarSummary(double wallTime, uint64_t step, std::string_view tag,
                         float value, std::vector<std::byte> &file) {
  ProtoWriter message;
  message.text(uint32_t(Value::Tag), tag);
  message.single(uint32_t(Value::Number), value);
  appendSummary(wallTime, step, message, file);
}

void appendHistogramSummary(double wallTime, uint64_t step,
                            std::string_view tag, const Histogram &value,
                            std::vector<std::byte> &file) {
  ProtoWriter histogram, message;
  histogram.real(uint32_t(Histo::Min), value.min);
  histogram.real(uint32_t(Histo::Max), value.max);
  histogram.real(uint32_t(Histo::Count), double(value.count));
  histogram.real(uint32_t(Histo::Sum), value.sum);
  histogram.real(uint32_t(Histo::SumOfSquares), value.sumOfSquares);
  // Lists of numbers are as they lie in memory, little endian.
  histogram.bytes(uint32_t(Histo::Limits),
                  std::as_bytes(std::span(value.limits)));
  histogram.bytes(uint32_t(Histo::Counts),
                  std::as_bytes(std::span(value.counts)));
  message.text(uint32_t(Value::Tag), tag);
  message.message(uint32_t(Value::Histogram), histogram);
  appendSummary(wallTime, step, message, file);
}

} // namespace smp
