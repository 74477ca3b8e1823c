// SPDX-License-Identifier: Apache-2.0
#include "smp/tools/Npy.h"
#include "NpyHeader.h"
#include "smp/base/AtomicFile.h"
#include "smp/base/Lists.h"
#include "smp/serialization/MappedFile.h"
#include <algorithm>
#include <cstring>

namespace smp {

using Bytes = std::span<const std::byte>;

static constexpr char kMagic[] = "\x93NUMPY";
static constexpr size_t kMagicBytes = 6;
static constexpr size_t kDataAlignment = 64;

namespace {
struct Names {
  DType dtype;
  const char *descriptor;
};
} // namespace

/// The first name of a type is the one that is written.
static constexpr Names kNames[] = {
    {DType::F64, "<f8"},  {DType::F32, "<f4"},  {DType::F16, "<f2"},
    {DType::I64, "<i8"},  {DType::I32, "<i4"},  {DType::I16, "<i2"},
    {DType::I8, "|i1"},   {DType::U64, "<u8"},  {DType::U32, "<u4"},
    {DType::U16, "<u2"},  {DType::U8, "|u1"},   {DType::Bool, "|b1"},
    {DType::BF16, "<u2"}, {DType::BF16, "|V2"}, {DType::BF16, "<V2"},
};

static StatusOr<DType> parseDescriptor(const std::string &descriptor) {
  if (!descriptor.empty() && descriptor[0] == '>')
    return invalidArgument("its type '" + descriptor +
                           "' is big-endian; save it as '<" +
                           descriptor.substr(1) + "'");
  for (const Names &names : kNames)
    if (descriptor == names.descriptor)
      return names.dtype;
  return invalidArgument("its type '" + descriptor +
                         "' is none that smp knows");
}

/// Magic, version and length; then the dictionary's text.
static StatusOr<std::string_view> findHeader(Bytes file) {
  if (file.size() < kMagicBytes + 2 ||
      std::memcmp(file.data(), kMagic, kMagicBytes) != 0)
    return dataLoss("this is no .npy file");
  unsigned major = unsigned(file[kMagicBytes]);
  if (major < 1 || major > 3)
    return invalidArgument("its version " + std::to_string(major) +
                           " is unknown; 1 to 3 are");
  size_t lengthBytes = major == 1 ? 2 : 4;
  size_t begin = kMagicBytes + 2 + lengthBytes;
  size_t length = 0;
  for (size_t i = 0; i < lengthBytes && kMagicBytes + 2 + i < file.size(); ++i)
    length |= size_t(file[kMagicBytes + 2 + i]) << (8 * i);
  if (begin > file.size() || length > file.size() - begin)
    return dataLoss("it is cut: it has " + std::to_string(file.size()) +
                    " bytes, its header ends at " +
                    std::to_string(begin + length));
  return std::string_view(reinterpret_cast<const char *>(file.data()) + begin,
                          length);
}

static Status checkBooleans(Bytes data) {
  auto isWrong = [](std::byte value) { return value > std::byte(1); };
  auto found = std::find_if(data.begin(), data.end(), isWrong);
  if (found == data.end())
    return Status();
  return dataLoss("element " + std::to_string(found - data.begin()) +
                  " is a bool of " + std::to_string(unsigned(*found)));
}

StatusOr<HostTensor> parseNpy(Bytes file) {
  SMP_ASSIGN_OR_RETURN(std::string_view text, findHeader(file));
  SMP_ASSIGN_OR_RETURN(NpyHeader header, parseNpyHeader(text));
  if (header.fortranOrder)
    return invalidArgument(
        "it is in Fortran order; save numpy.ascontiguousarray() of it");
  SMP_ASSIGN_OR_RETURN(const DType dtype, parseDescriptor(header.descriptor));
  HostTensor tensor{{dtype, std::move(header.shape)}, {}};
  std::optional<int64_t> wanted = checkedBytes(tensor.type);
  if (!wanted)
    return dataLoss("its shape " + toString(tensor.type.shape) +
                    " is too large");
  size_t begin = size_t(text.data() + text.size() -
                        reinterpret_cast<const char *>(file.data()));
  Bytes data = file.subspan(begin);
  if (data.size() != uint64_t(*wanted))
    return dataLoss("it has " + std::to_string(data.size()) +
                    " bytes of data; a " + toString(tensor.type) + " has " +
                    std::to_string(*wanted));
  if (dtype == DType::Bool)
    SMP_RETURN_IF_ERROR(checkBooleans(data));
  tensor.bytes.assign(data.begin(), data.end());
  return tensor;
}

StatusOr<HostTensor> readNpy(const std::string &path) {
  SMP_ASSIGN_OR_RETURN(MappedFile file, MappedFile::open(path));
  SMP_ASSIGN_OR_RETURN(HostTensor tensor,
                       parseNpy(file.bytes()).in("cannot read '" + path + "'"));
  return tensor;
}

std::string formatNpyHeader(const TensorType &type) {
  auto names = std::find_if(std::begin(kNames), std::end(kNames),
                            [&](auto &n) { return n.dtype == type.dtype; });
  std::string shape = join(type.shape, ", ");
  if (type.shape.size() == 1)
    shape += ',';
  std::string text = std::string("{'descr': '") + names->descriptor +
                     "', 'fortran_order': False, 'shape': (" + shape + "), }";
  size_t head = kMagicBytes + 4;
  size_t end = (head + text.size() + 1 + kDataAlignment - 1) / kDataAlignment *
               kDataAlignment;
  text.resize(end - head - 1, ' ');
  text += '\n';
  std::string header(kMagic, kMagicBytes);
  header += {1, 0, char(text.size() & 255), char(text.size() >> 8)};
  return header + text;
}

Status writeNpy(const TensorType &type, Bytes bytes, const std::string &path) {
  if (bytes.size() != size_t(type.bytes()))
    return invalidArgument("cannot write '" + path + "': given " +
                           std::to_string(bytes.size()) + " bytes for a " +
                           toString(type) + " of " +
                           std::to_string(type.bytes()));
  SMP_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(path));
  std::string header = formatNpyHeader(type);
  SMP_RETURN_IF_ERROR(file.write(std::as_bytes(std::span(header))));
  SMP_RETURN_IF_ERROR(file.write(bytes));
  return file.commit();
}

} // namespace smp
