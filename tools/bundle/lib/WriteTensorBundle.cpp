// SPDX-License-Identifier: Apache-2.0
#include "BundlePaths.h"
#include "BundleTexts.h"
#include "MaskedCrc.h"
#include "SortedTable.h"
#include "TensorBundle.pb.h"
#include "smp/base/AtomicFile.h"
#include "smp/base/Quote.h"
#include "smp/tools/TensorBundle.h"
#include <cerrno>
#include <cstring>

namespace smp {

using Bytes = std::span<const std::byte>;

std::string bundleIndexPath(const std::string &prefix) {
  return prefix + ".index";
}

std::string bundleDataPath(const std::string &prefix, uint32_t shard,
                           uint32_t count) {
  char number[32];
  std::snprintf(number, sizeof(number), ".data-%05u-of-%05u", shard, count);
  return prefix + number;
}

static std::string formatHeader() {
  proto::BundleHeader header;
  header.set_num_shards(1);
  header.mutable_version()->set_producer(1);
  return header.SerializeAsString();
}

static Status checkTensor(const TensorToBundle &tensor) {
  const std::string what = "tensor " + quote(tensor.key);
  if (tensor.key.empty() || tensor.key.front() == '\0')
    return invalidArgument(what + " cannot be saved under that key");
  if (!tensor.text && !checkedBytes(tensor.type))
    return invalidArgument(what + " has the shape " +
                           toString(tensor.type.shape) +
                           ", which is too large");
  return Status();
}

namespace {

/// Writes data and collects the index.
class BundleWriter {
public:
  explicit BundleWriter(AtomicFile &data) : data(data) {
    entries[""] = formatHeader();
  }

  Status add(const TensorToBundle &tensor) {
    SMP_RETURN_IF_ERROR(checkTensor(tensor));
    proto::BundleEntry entry;
    proto::TensorShape &shape = *entry.mutable_shape();
    Written written;
    if (tensor.text) {
      const EncodedTexts texts = encodeTexts({*tensor.text});
      SMP_RETURN_IF_ERROR(
          write(std::as_bytes(std::span(texts.bytes)), written));
      written.digest = texts.digest;
      entry.set_dtype(kTensorFlowString);
    } else {
      SMP_RETURN_IF_ERROR(write(tensor, written));
      entry.set_dtype(toTensorFlow(tensor.type.dtype));
      for (const int64_t size : tensor.type.shape)
        shape.add_dim()->set_size(size);
    }
    entry.set_offset(int64_t(offset));
    entry.set_size(int64_t(written.size));
    entry.set_crc32c(written.digest);
    if (!entries.emplace(tensor.key, entry.SerializeAsString()).second)
      return invalidArgument("two tensors have the key " + quote(tensor.key));
    offset += written.size;
    return Status();
  }

  std::string index() const { return formatTable(entries); }

private:
  struct Written {
    uint64_t size = 0;
    uint32_t crc = 0;
    uint32_t digest = 0; // As the index has it.
  };

  Status write(Bytes bytes, Written &written) {
    written.size += bytes.size();
    written.crc = crc32c(bytes, written.crc);
    return data.write(bytes);
  }

  Status write(const TensorToBundle &tensor, Written &written) {
    auto add = [&](Bytes bytes) { return write(bytes, written); };
    SMP_RETURN_IF_ERROR(tensor.source ? tensor.source(add) : add(tensor.bytes));
    written.digest = maskCrc(written.crc);
    if (written.size == uint64_t(tensor.type.bytes()))
      return Status();
    return invalidArgument("tensor " + quote(tensor.key) + " has " +
                           std::to_string(written.size) + " bytes, which a " +
                           toString(tensor.type) + " does not have");
  }

  AtomicFile &data; // Borrowed.
  uint64_t offset = 0;
  std::map<std::string, std::string> entries;
};

} // namespace

Status writeTensorBundle(std::span<const TensorToBundle> tensors,
                         const std::string &prefix, FileSystem &files) {
  const std::string path = bundleIndexPath(prefix);
  uint64_t ignored = 0;
  if (const int error = files.size(path, ignored); error == 0)
    return failedPrecondition("'" + path +
                              "' is there already; remove that "
                              "bundle, or give another name");
  const std::string dataPath = bundleDataPath(prefix, 0, 1);
  const double seconds = OutputPath::kPeerSeconds;
  SMP_ASSIGN_OR_RETURN(AtomicFile data,
                       AtomicFile::create(dataPath, seconds, files));
  SMP_ASSIGN_OR_RETURN(AtomicFile index,
                       AtomicFile::create(path, seconds, files));
  BundleWriter writer(data);
  for (const TensorToBundle &tensor : tensors)
    SMP_RETURN_IF_ERROR(writer.add(tensor));
  const std::string table = writer.index();
  SMP_RETURN_IF_ERROR(index.write(std::as_bytes(std::span(table))));
  Status written = data.commit();
  if (written.ok())
    written = index.commit();
  if (!written.ok() && files.size(path, ignored) != 0)
    (void)files.remove(dataPath);
  return written;
}

} // namespace smp
