// SPDX-License-Identifier: Apache-2.0
#include "Proto.h"
#include <bit>

namespace smp {

using Kind = ProtoReader::Kind;

static uint64_t tagOf(uint32_t field, Kind kind) {
  return uint64_t(field) << 3 | uint64_t(kind);
}

void ProtoWriter::varint(uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    written.push_back(std::byte(value | 0x80));
  written.push_back(std::byte(value));
}

void ProtoWriter::number(uint32_t field, uint64_t value) {
  varint(tagOf(field, Kind::Number));
  varint(value);
}

void ProtoWriter::real(uint32_t field, double value) {
  varint(tagOf(field, Kind::Fixed64));
  const auto bits = std::bit_cast<uint64_t>(value);
  for (int shift = 0; shift < 64; shift += 8)
    written.push_back(std::byte(bits >> shift));
}

void ProtoWriter::single(uint32_t field, float value) {
  varint(tagOf(field, Kind::Fixed32));
  const auto bits = std::bit_cast<uint32_t>(value);
  for (int shift = 0; shift < 32; shift += 8)
    written.push_back(std::byte(bits >> shift));
}

void ProtoWriter::bytes(uint32_t field, std::span<const std::byte> value) {
  varint(tagOf(field, Kind::Bytes));
  varint(value.size());
  written.insert(written.end(), value.begin(), value.end());
}

static Status damage(size_t at, const std::string &what) {
  return dataLoss("byte " + std::to_string(at) + ": " + what);
}

Status ProtoReader::Field::require(Kind wanted, const char *what) const {
  if (kind == wanted)
    return Status();
  return damage(at, std::string(what) + " has the wire type " +
                        std::to_string(int(kind)) + ", not " +
                        std::to_string(int(wanted)));
}

Status ProtoReader::varint(uint64_t &value) {
  value = 0;
  for (size_t i = 0; i < left.size() && i < 10; ++i) {
    const auto byte = uint64_t(left[i]);
    if (i == 9 && byte > 1)
      break;
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      left = left.subspan(i + 1);
      at += i + 1;
      return Status();
    }
  }
  return damage(at, left.size() < 10 ? "a number ends too soon"
                                     : "a number has more than 64 bits");
}

Status ProtoReader::take(size_t count, std::span<const std::byte> &bytes) {
  if (count > left.size())
    return damage(at, "a field of " + std::to_string(count) +
                          " bytes, but there are " +
                          std::to_string(left.size()));
  bytes = left.first(count);
  left = left.subspan(count);
  at += count;
  return Status();
}

static uint64_t littleEndian(std::span<const std::byte> bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size(); ++i)
    value |= uint64_t(bytes[i]) << (8 * i);
  return value;
}

StatusOr<ProtoReader::Field> ProtoReader::next() {
  Field field;
  field.at = at;
  uint64_t tag = 0;
  SMP_RETURN_IF_ERROR(varint(tag));
  if (tag < 8 || tag >> 32 != 0)
    return damage(field.at,
                  "no field has the number " + std::to_string(tag >> 3));
  field.id = uint32_t(tag >> 3);
  field.kind = Kind(tag & 7);
  field.valueAt = at;
  switch (field.kind) {
  case Kind::Number:
    SMP_RETURN_IF_ERROR(varint(field.number));
    return field;
  case Kind::Bytes: {
    uint64_t size = 0;
    SMP_RETURN_IF_ERROR(varint(size));
    field.valueAt = at;
    SMP_RETURN_IF_ERROR(take(size, field.bytes));
    return field;
  }
  case Kind::Fixed64:
  case Kind::Fixed32: {
    std::span<const std::byte> bytes;
    SMP_RETURN_IF_ERROR(take(field.kind == Kind::Fixed64 ? 8 : 4, bytes));
    field.number = littleEndian(bytes);
    return field;
  }
  }
  return damage(field.at,
                "no field has the wire type " + std::to_string(tag & 7));
}

} // namespace smp
