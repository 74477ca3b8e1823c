// SPDX-License-Identifier: Apache-2.0
// FlatBuffer to Program. The result still has to be verified.

#ifndef SMP_SERIALIZATION_LIB_PROGRAMDECODE_H
#define SMP_SERIALIZATION_LIB_PROGRAMDECODE_H

#include "Program_generated.h"
#include "smp/base/Status.h"
#include "smp/serialization/Program.h"
#include <cstring>

namespace smp {

/// Copies strings and lists out of a FlatBuffer whose structure was verified.
/// All of them together may take no more bytes than the FlatBuffer has: a file
/// that names the same bytes again and again costs neither memory nor time.
class Decoder {
public:
  explicit Decoder(size_t tableBytes) : budget(tableBytes) {}

  /// Everything but the sections.
  void decode(const fbs::Program &from, Program &to);
  void decode(const fbs::Graph &from, Graph &to);

  /// Ok, or the first thing that could not be decoded.
  const Status &status() const { return error; }

private:
  template <typename T>
  using List = flatbuffers::Vector<flatbuffers::Offset<T>>;

  void decode(const fbs::TensorType &from, TensorType &to);
  void decode(const fbs::Variable &from, Variable &to);
  void decode(const fbs::KernelVariant &from, KernelVariant &to);
  void decode(const fbs::Kernel &from, Kernel &to);
  void decode(const fbs::ImageInfo &from, ImageInfo &to);
  void decode(const fbs::BufferRef &from, BufferRef &to);
  void decode(const fbs::OpName &from, std::string &to);
  void decode(const fbs::Launch &from, Launch &to);
  void decode(const fbs::Stage &from, Stage &to);
  void decode(const fbs::Prepared &from, Prepared &to);
  void decode(const fbs::EntryTensor &from, EntryTensor &to);
  void decode(const fbs::EdgeEnd &from, Edge::End &to);
  void decode(const fbs::Edge &from, Edge &to);
  void decode(const fbs::ActionList &from, std::vector<Action> &to);
  void decode(const fbs::Tap &from, Tap &to);
  void decode(const fbs::Entry &from, Entry &to);
  void decode(const fbs::GraphValue &from, GraphValue &to);
  void decode(const fbs::GraphOp &from, GraphOp &to);
  bool decode(const fbs::Attribute &from, Attribute &to);
  bool decode(const fbs::Attribute &from, TensorType &type,
              std::vector<std::byte> &bytes);
  void decode(const flatbuffers::String &from, std::string &to);

  /// Takes bytes of the budget; false when it is used up.
  bool spend(uint64_t bytes);

  template <typename From, typename To>
  void decodeList(const List<From> &from, std::vector<To> &to) {
    if (!spend(uint64_t(from.size()) * sizeof(flatbuffers::uoffset_t)))
      return;
    to.resize(from.size());
    for (flatbuffers::uoffset_t i = 0; i < from.size(); ++i)
      decode(*from.Get(i), to[i]);
  }

  template <typename T>
  void decodeNumbers(const flatbuffers::Vector<T> &from, std::vector<T> &to) {
    if (from.size() == 0 || !spend(uint64_t(from.size()) * sizeof(T)))
      return;
    // Verification leaves open how a list's numbers are aligned.
    static_assert(FLATBUFFERS_LITTLEENDIAN);
    to.resize(from.size());
    std::memcpy(to.data(), from.Data(), to.size() * sizeof(T));
  }

  uint64_t budget;
  Status error;
};

} // namespace smp

#endif // SMP_SERIALIZATION_LIB_PROGRAMDECODE_H
