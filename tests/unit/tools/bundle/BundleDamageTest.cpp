// SPDX-License-Identifier: Apache-2.0
// Bundles that are not what was written.
#include "SortedTable.h"
#include "TemporaryFolder.h"
#include "TensorBundle.pb.h"
#include "smp/tools/TensorBundle.h"
#include <functional>
#include <gtest/gtest.h>

using namespace smp;

static const std::string kGolden = SMP_TEST_SOURCE_DIR "/golden/bundles/";

static Status readAll(const TensorBundle &bundle) {
  for (const BundleTensor &tensor : bundle.tensors())
    if (tensor.type == kTensorFlowString)
      SMP_RETURN_IF_ERROR(bundle.readTexts(tensor).status());
    else if (fromTensorFlow(tensor.type))
      SMP_RETURN_IF_ERROR(bundle.read(tensor).status());
    else
      SMP_RETURN_IF_ERROR(bundle.check(tensor));
  return Status();
}

static Status readAll(const std::string &prefix) {
  SMP_ASSIGN_OR_RETURN(const TensorBundle bundle, TensorBundle::open(prefix));
  return readAll(bundle);
}

/// Of a bundle in memory.
static Status readAll(const std::string &index,
                      const std::vector<std::string> &data) {
  std::vector<std::span<const std::byte>> shards;
  for (const std::string &bytes : data)
    shards.push_back(std::as_bytes(std::span(bytes)));
  SMP_ASSIGN_OR_RETURN(const TensorBundle bundle,
                       TensorBundle::parse(index, shards, "folder/name"));
  return readAll(bundle);
}

static void flip(std::string &bytes, size_t bit) {
  bytes[bit / 8] = char(bytes[bit / 8] ^ (1 << (bit % 8)));
}

namespace {
struct BundleDamage : testing::Test {
  TemporaryFolder folder;

  void copy(const std::string &name) {
    namespace fs = std::filesystem;
    for (const auto &file : fs::directory_iterator(kGolden))
      if (file.path().filename().string().starts_with(name + "."))
        fs::copy_file(file.path(), folder.file(file.path().filename()));
  }

  /// Changes entries of the index, with right digests of the table, and gives
  /// the message of the error.
  std::string afterChange(
      const std::string &name,
      const std::function<void(std::map<std::string, std::string> &)> &change) {
    std::map<std::string, std::string> entries;
    std::ifstream in(kGolden + name + ".index", std::ios::binary);
    const std::string table{std::istreambuf_iterator<char>(in), {}};
    EXPECT_TRUE(readTable(table, [&](auto key, auto value) {
                  entries.emplace(key, value);
                  return Status();
                }).ok());
    if (folder.names().empty())
      copy(name);
    change(entries);
    folder.write(name + ".index", formatTable(entries));
    const Status status = readAll(folder.file(name));
    EXPECT_NE(status.message().find(folder.path()), std::string::npos)
        << status.message();
    return status.message();
  }

  template <typename Message>
  std::string afterChangeOf(const std::string &name, const std::string &key,
                            const std::function<void(Message &)> &change) {
    return afterChange(name, [&](auto &entries) {
      Message message;
      ASSERT_TRUE(message.ParseFromString(entries.at(key)));
      change(message);
      entries[key] = message.SerializeAsString();
    });
  }
};
} // namespace

#define EXPECT_HAS(text, part)                                                 \
  EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST_F(BundleDamage, EveryBitCounts) {
  const std::map<std::string, std::vector<std::string>> files = {
      {"objects", {".data-00000-of-00001"}},
      {"types", {".data-00000-of-00001"}},
      {"sliced", {".data-00000-of-00002", ".data-00001-of-00002"}}};
  for (const auto &[name, suffixes] : files) {
    copy(name);
    std::string index = folder.read(name + ".index");
    std::vector<std::string> data;
    for (const std::string &suffix : suffixes)
      data.push_back(folder.read(name + suffix));
    ASSERT_TRUE(readAll(index, data).ok());
    auto check = [&](std::string &bytes, const std::string &suffix) {
      const size_t step = bytes.size() > 2000 ? 17 : 1; // One is long.
      for (size_t bit = 0; bit < bytes.size() * 8; bit += step) {
        flip(bytes, bit);
        const Status status = readAll(index, data);
        ASSERT_FALSE(status.ok()) << name << suffix << ", bit " << bit;
        ASSERT_NE(status.message().find("folder/name" + suffix),
                  std::string::npos)
            << status.message();
        flip(bytes, bit);
      }
    };
    check(index, ".index");
    for (size_t i = 0; i < data.size(); ++i)
      check(data[i], suffixes[i]);
  }
}

TEST_F(BundleDamage, FilesThatAreCutOrMissing) {
  copy("sliced");
  for (const std::string &name : folder.names()) {
    const std::string bytes = folder.read(name);
    for (size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 50) {
      folder.write(name, bytes.substr(0, size));
      const Status status = readAll(folder.file("sliced"));
      ASSERT_EQ(status.code(), StatusCode::DataLoss) << name << ", " << size;
      EXPECT_HAS(status.message(), folder.file(name));
    }
    folder.remove(name);
    EXPECT_HAS(readAll(folder.file("sliced")).message(), folder.file(name));
    folder.write(name, bytes);
  }
}

TEST_F(BundleDamage, AWrongHeader) {
  using Header = proto::BundleHeader;
  EXPECT_HAS(afterChange("types", [](auto &entries) { entries.erase(""); }),
             "it has no header");
  EXPECT_HAS(afterChange("types", [](auto &entries) { entries.clear(); }),
             "it has no header");
  auto after = [&](const std::function<void(Header &)> &change) {
    return afterChangeOf<Header>("types", "", change);
  };
  EXPECT_HAS(after([](Header &header) { header.set_endianness(1); }),
             "big-endian");
  EXPECT_HAS(after([](Header &header) {
               header.mutable_version()->set_min_consumer(2);
             }),
             "version 2; this version of smp reads 1");
  EXPECT_HAS(after([](Header &header) {
               header.mutable_version()->add_bad_consumers(1);
             }),
             "this version of smp reads 1");
  EXPECT_HAS(after([](Header &header) { header.set_num_shards(0); }),
             "has 0 shards");
  EXPECT_HAS(after([](Header &header) { header.set_num_shards(1 << 30); }),
             ".data-00000-of-1073741824");
}

TEST_F(BundleDamage, WrongEntries) {
  using Entry = proto::BundleEntry;
  auto after = [&](const std::function<void(Entry &)> &change) {
    return afterChangeOf<Entry>("types", "int64", change);
  };
  EXPECT_HAS(after([](Entry &entry) { entry.set_dtype(1); }),
             "key 'int64': it has 24 bytes; a f32[3] has 12");
  EXPECT_HAS(after([](Entry &entry) { entry.set_shard_id(1); }),
             "it is in shard 1 of 1");
  EXPECT_HAS(after([](Entry &entry) { entry.set_shard_id(-1); }),
             "it is in shard -1 of 1");
  EXPECT_HAS(after([](Entry &entry) { entry.set_offset(-1); }),
             "24 bytes from byte -1");
  EXPECT_HAS(after([](Entry &entry) { entry.set_offset(INT64_MAX); }),
             "key 'int64' has 24 bytes from byte 9223372036854775807; the file "
             "has 153");
  EXPECT_HAS(after([](Entry &entry) { entry.set_offset(0); }),
             "those of another tensor end at byte");
  EXPECT_HAS(after([](Entry &entry) {
               entry.mutable_shape()->mutable_dim(0)->set_size(INT64_MAX);
             }),
             "too many bytes");
  EXPECT_HAS(after([](Entry &entry) {
               entry.mutable_shape()->mutable_dim(0)->set_size(-3);
             }),
             "its shape -3 has a negative size");
  EXPECT_HAS(after([](Entry &entry) {
               for (int i = 0; i < 254; ++i)
                 entry.mutable_shape()->add_dim()->set_size(1);
             }),
             "255 axes, of at most 254");
  EXPECT_HAS(after([](Entry &entry) {
               entry.mutable_shape()->set_unknown_rank(true);
             }),
             "it has no shape");
  EXPECT_HAS(after([](Entry &entry) { entry.set_crc32c(7); }),
             "that of what was written is 7");
  EXPECT_HAS(afterChange("types",
                         [](auto &entries) { entries["int64"] = "\x0a\xff"; }),
             "key 'int64': its value is no protobuf message");
}

TEST_F(BundleDamage, WrongSlices) {
  using Entry = proto::BundleEntry;
  auto after = [&](const std::function<void(Entry &)> &change) {
    return afterChangeOf<Entry>("sliced", "rows", change);
  };
  EXPECT_HAS(after([](Entry &entry) { entry.mutable_slices()->RemoveLast(); }),
             "key 'rows': its element 1,0 is in 0 of its slices, not in 1");
  EXPECT_HAS(after([](Entry &entry) { *entry.add_slices() = entry.slices(0); }),
             "its element 0,0 is in 2 of its slices, not in 1");
  EXPECT_HAS(after([](Entry &entry) {
               auto &last = *entry.mutable_slices(1)->mutable_extent(0);
               last.set_start(2);
             }),
             "3 from 2 of axis 0, which has 4");
  EXPECT_HAS(after([](Entry &entry) { entry.set_dtype(3); }),
             "its slice 0,1:0,6 is there as float32 1x6, not as int32");
  EXPECT_HAS(after([](Entry &entry) {
               // The same elements, cut in another way.
               entry.mutable_slices(0)->mutable_extent(0)->set_length(2);
               auto &rest = *entry.mutable_slices(1)->mutable_extent(0);
               rest.set_start(2);
               rest.set_length(2);
             }),
             "its slice 0,2:0,6 is not there");
  EXPECT_HAS(
      afterChange("sliced", [](auto &entries) { entries.erase("rows"); }),
      "its tensors are made of");
}

TEST_F(BundleDamage, WrongTexts) {
  using Entry = proto::BundleEntry;
  const std::string key = "words/.ATTRIBUTES/VARIABLE_VALUE";
  EXPECT_HAS(
      afterChangeOf<Entry>("objects", key,
                           [](Entry &entry) {
                             entry.mutable_shape()->mutable_dim(0)->set_size(
                                 int64_t(1) << 60);
                           }),
      "for 1152921504606846976 texts");
  EXPECT_HAS(afterChangeOf<Entry>("objects", key,
                                  [](Entry &entry) { entry.set_size(3); }),
             "is cut");
}
