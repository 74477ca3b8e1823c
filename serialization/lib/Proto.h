// SPDX-License-Identifier: Apache-2.0
// Protocol buffers' wire format: messages as fields, one after the other.

#ifndef SMP_SERIALIZATION_LIB_PROTO_H
#define SMP_SERIALIZATION_LIB_PROTO_H

#include "smp/base/Status.h"
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace smp {

/// Appends fields to a message.
class ProtoWriter {
public:
  void number(uint32_t field, uint64_t value);
  void real(uint32_t field, double value);
  void single(uint32_t field, float value);
  void bytes(uint32_t field, std::span<const std::byte> value);
  void text(uint32_t field, std::string_view value) {
    bytes(field, std::as_bytes(std::span(value)));
  }
  void message(uint32_t field, const ProtoWriter &value) {
    bytes(field, value.written);
  }
  std::span<const std::byte> all() const { return written; }

private:
  void varint(uint64_t value);

  std::vector<std::byte> written;
};

/// Reads the fields of a message in their order.
class ProtoReader {
public:
  enum class Kind : uint8_t { Number = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };
  struct Field {
    uint32_t id = 0;
    Kind kind = Kind::Number;
    uint64_t number = 0;              ///< A number's, or the bits of 4 or 8.
    std::span<const std::byte> bytes; ///< Of a text or a message.
    size_t at = 0;                    ///< Where the field starts, in bytes.
    size_t valueAt = 0;               ///< Where its number or its bytes start.

    std::string_view text() const {
      return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
    }
    /// Ok when it has that kind; else DataLoss, which says `what` it is.
    Status require(Kind wanted, const char *what) const;
  };

  /// `at`: where the message starts in what messages count from.
  ProtoReader(std::span<const std::byte> message, size_t at)
      : left(message), at(at) {}
  /// The message that a field of kind Bytes is.
  explicit ProtoReader(const Field &field)
      : ProtoReader(field.bytes, field.valueAt) {}

  bool atEnd() const { return left.empty(); }
  /// Of what is left, which is not empty. DataLoss: "byte 7: ...".
  StatusOr<Field> next();

private:
  Status varint(uint64_t &value);
  Status take(size_t count, std::span<const std::byte> &bytes);

  std::span<const std::byte> left;
  size_t at;
};

} // namespace smp

#endif // SMP_SERIALIZATION_LIB_PROTO_H
