// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/Safetensors.h"
#include "SampleProgram.h"
#include "Seed.h"
#include "TemporaryFolder.h"
#include "smp/serialization/Crc32c.h"
#include <gtest/gtest.h>

using namespace smp;

/// A file with this header and `dataBytes` bytes of data.
static std::vector<std::byte> fileWith(const std::string &header,
                                       size_t dataBytes) {
  std::vector<std::byte> file(8 + header.size() + dataBytes);
  for (size_t i = 0; i < 8; ++i)
    file[i] = std::byte(header.size() >> (8 * i));
  for (size_t i = 0; i < header.size(); ++i)
    file[8 + i] = std::byte(header[i]);
  return file;
}

static std::string problemOf(const std::string &header, size_t dataBytes = 0) {
  AlignedBytes bytes(fileWith(header, dataBytes));
  StatusOr<Safetensors> parsed = Safetensors::parse(bytes);
  return parsed.ok() ? "sound" : parsed.status().message();
}

namespace {
/// Three tensors of several types, one of them empty.
struct Tensors {
  std::vector<std::byte> bytes = std::vector<std::byte>(64, std::byte(1));
  std::vector<SafetensorsTensor> list = {
      {"z.bool", {DType::Bool, {3}}, std::span(bytes).first(3)},
      {"b/f32 \"q\" \xc3\xa9",
       {DType::F32, {2, 3}},
       std::span(bytes).first(24)},
      {"a", {DType::F64, {}}, std::span(bytes).first(8)},
      {"empty", {DType::I64, {0, 5}}, {}},
  };
};
} // namespace

TEST(Safetensors, ComesBackAsItWas) {
  Tensors tensors;
  StatusOr<std::vector<std::byte>> file =
      serializeSafetensors(tensors.list, {{"k", "v"}, {"format", "pt"}});
  ASSERT_TRUE(file.ok()) << file.status().message();
  StatusOr<Safetensors> parsed = Safetensors::parse(*file);
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(parsed->metadata().at("format"), "pt");
  ASSERT_EQ(parsed->tensors().size(), 4u);
  for (const SafetensorsTensor &tensor : tensors.list) {
    const SafetensorsTensor *found = parsed->find(tensor.name);
    ASSERT_TRUE(found) << tensor.name;
    EXPECT_EQ(found->type, tensor.type);
    EXPECT_TRUE(std::equal(found->bytes.begin(), found->bytes.end(),
                           tensor.bytes.begin(), tensor.bytes.end()));
    EXPECT_EQ((found->bytes.data() - file->data()) %
                  ptrdiff_t(sizeOf(tensor.type.dtype)),
              0);
  }
  EXPECT_EQ(parsed->find("c"), nullptr);
  EXPECT_EQ(parsed->find("zz"), nullptr);
}

TEST(Safetensors, OrderOfTheTensorsDoesNotMatter) {
  Tensors tensors;
  std::vector<std::byte> first = serializeSafetensors(tensors.list, {}).take();
  std::reverse(tensors.list.begin(), tensors.list.end());
  EXPECT_EQ(serializeSafetensors(tensors.list, {}).take(), first);
}

TEST(Safetensors, AFileHasTheDigestThatIsReturned) {
  Tensors tensors;
  TemporaryFolder folder;
  StatusOr<FileDigest> digest =
      writeSafetensors(tensors.list, {}, folder.file("t.safetensors"));
  ASSERT_TRUE(digest.ok()) << digest.status().message();
  std::string text = folder.read("t.safetensors");
  EXPECT_EQ(digest->size, text.size());
  EXPECT_EQ(digest->crc32c, crc32c(std::as_bytes(std::span(text))));
  StatusOr<Safetensors> parsed =
      Safetensors::open(folder.file("t.safetensors"));
  ASSERT_TRUE(parsed.ok());
  Safetensors moved = parsed.take();
  EXPECT_EQ(moved.find("a")->bytes[0], std::byte(1));
}

TEST(Safetensors, BytesMayComeInPieces) {
  Tensors tensors;
  TemporaryFolder folder;
  std::vector<SafetensorsSource> sources;
  for (const SafetensorsTensor &tensor : tensors.list)
    sources.push_back({tensor.name, tensor.type, [&](const ByteSink &sink) {
                         for (const std::byte &byte : tensor.bytes)
                           SMP_RETURN_IF_ERROR(sink({&byte, 1}));
                         return Status();
                       }});
  const auto digest =
      writeSafetensors(sources, {}, folder.file("t.safetensors"));
  ASSERT_TRUE(digest.ok()) << digest.status().message();
  const auto whole = serializeSafetensors(tensors.list, {}).take();
  const std::string text = folder.read("t.safetensors");
  EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(text)), whole));
  sources.front().bytes = [](const ByteSink &sink) {
    return sink(std::vector<std::byte>(1000));
  };
  for (const char *part : {"has 1000 bytes; a ", "no more bytes"}) {
    const Status status =
        writeSafetensors(sources, {}, folder.file("u.safetensors")).status();
    EXPECT_NE(status.message().find(part), std::string::npos)
        << status.message();
    sources.front().bytes = [](const ByteSink &) {
      return unavailable("there are no more bytes");
    };
  }
  EXPECT_EQ(folder.names(), std::vector<std::string>{"t.safetensors"});
}

TEST(Safetensors, WhatCannotBeWrittenIsNamed) {
  Tensors tensors;
  auto problem = [&](SafetensorsTensor tensor) {
    tensors.list.push_back(tensor);
    std::string message =
        serializeSafetensors(tensors.list, {}).status().message();
    tensors.list.pop_back();
    return message;
  };
  EXPECT_EQ(problem({"a", {DType::F64, {}}, std::span(tensors.bytes).first(8)}),
            "two tensors have the name 'a'");
  EXPECT_EQ(problem({"q", {DType::F64, {}}, std::span(tensors.bytes).first(7)}),
            "tensor 'q' has 7 bytes; a f64[] has 8");
  EXPECT_EQ(problem({"q", {DType::F64, {-1}}, {}}),
            "tensor 'q' has the shape -1, which is too large");
  EXPECT_EQ(problem({"__metadata__", {DType::U8, {0}}, {}}),
            "tensor '__metadata__' cannot be saved under that name");
  for (const char *bad : {"\xff", "\xc3", "\xc0\x80", "\xed\xa0\x80",
                          "\xf4\x90\x80\x80", "\xe2\x82"})
    EXPECT_NE(problem({bad, {DType::U8, {0}}, {}}), "") << bad;
  EXPECT_EQ(serializeSafetensors({}, {{"k", "\xff"}}).status().message(),
            "metadata 'k' are no UTF-8");
}

TEST(Safetensors, PicklesAreRefusedByName) {
  TemporaryFolder folder;
  for (const char *name : {"model.pt", "model.pth"}) {
    const std::string path = folder.file(name);
    folder.write(name, "a pickle");
    const Status read = Safetensors::open(path).status(),
                 written = writeSafetensors(
                               std::span<const SafetensorsTensor>(), {}, path)
                               .status();
    EXPECT_EQ(read.code(), StatusCode::InvalidArgument);
    EXPECT_EQ(read.message(), written.message());
    EXPECT_TRUE(
        read.message().starts_with("'" + path + "' is by its name a pickle"))
        << read.message();
    EXPECT_NE(read.message().find(std::string("torch.load(\"") + name + "\""),
              std::string::npos);
    EXPECT_EQ(folder.read(name), "a pickle");
  }
}

TEST(Safetensors, FilesOfOtherToolsAreRead) {
  EXPECT_EQ(problemOf("{}"), "sound");
  EXPECT_EQ(problemOf("{\"__metadata__\":{\"a\":\"b\"}}   "), "sound");
  EXPECT_EQ(problemOf("{\"x\":{\"data_offsets\":[0,2],\"shape\":[1],"
                      "\"dtype\":\"BF16\"}}",
                      2),
            "sound");
}

TEST(Safetensors, HeadersOfTheWrongFormAreNamed) {
  const std::string x = "{\"x\":";
  const std::pair<std::string, std::string> cases[] = {
      {"", "the header is no JSON: wrong at byte 1"},
      {"[]", "the header has a list where none may be"},
      {"7", "the header has a number where none may be"},
      {"{} {}", "the header is no JSON: wrong at byte 4"},
      {"{\"x\":1}", "tensor 'x' has a number where none may be"},
      {"{\"x\":null}", "tensor 'x' has null where none may be"},
      {x + "{}}", "tensor 'x' needs dtype, shape and data_offsets"},
      {x + "{\"dtype\":\"F32\"}}",
       "tensor 'x' needs dtype, shape and data_offsets"},
      {x + "{\"dtype\":\"F8\"}}",
       "tensor 'x' has dtype 'F8', which smp does not know"},
      {x + "{\"dtype\":[\"F32\"]}}", "tensor 'x' has a list where none may be"},
      {x + "{\"dtype\":\"F32\",\"dtype\":\"F32\"}}",
       "tensor 'x' has dtype twice"},
      {x + "{\"colour\":1}}", "tensor 'x' has the unknown key 'colour'"},
      {x + "{\"shape\":[-1]}}",
       "tensor 'x' has the number -1; it must be 0 or more"},
      {x + "{\"shape\":[1.5]}}",
       "tensor 'x' has the number '1.5'; it must be a whole one of 64 bits"},
      {x + "{\"shape\":[18446744073709551616]}}",
       "tensor 'x' has the number '18446744073709551616'; it must be a whole "
       "one of 64 bits"},
      {x + "{\"shape\":[9223372036854775808]}}",
       "tensor 'x' has the size 9223372036854775808; at most "
       "9223372036854775807"},
      {x + "{\"shape\":[[1]]}}", "tensor 'x' has a list where none may be"},
      {x + "{\"data_offsets\":[1]}}",
       "tensor 'x': data_offsets must be two numbers"},
      {x + "{\"data_offsets\":[1,2,3]}}",
       "tensor 'x': data_offsets must be two numbers"},
      {"{\"__metadata__\":{\"a\":1}}",
       "the header has a number where none may be"},
      {"{\"__metadata__\":{\"a\":\"\",\"a\":\"\"}}",
       "the metadata have 'a' twice"},
      {"{\"__metadata__\":{},\"__metadata__\":{}}",
       "the header has '__metadata__' twice"},
      {"{\"a\\u0001\xff\":{}}", "the header is no JSON: wrong at byte 10"},
  };
  for (const auto &[header, message] : cases)
    EXPECT_EQ(problemOf(header), message) << header;
}

TEST(Safetensors, DeepNestingIsNoRecursion) {
  EXPECT_EQ(problemOf(std::string(5'000'000, '[')),
            "the header has a list where none may be");
}

static std::string tensor(const char *name, const char *shape,
                          const char *offsets) {
  return std::string("\"") + name + "\":{\"dtype\":\"F32\",\"shape\":" + shape +
         ",\"data_offsets\":" + offsets + "}";
}

TEST(Safetensors, RangesMustFitTheirTypesAndCoverTheData) {
  EXPECT_EQ(problemOf("{" + tensor("x", "[2]", "[0,8]") + "}", 8), "sound");
  EXPECT_EQ(problemOf("{" + tensor("x", "[2]", "[0,8]") + "}", 7),
            "tensor 'x' has bytes 0 to 8 of 7");
  EXPECT_EQ(problemOf("{" + tensor("x", "[2]", "[8,0]") + "}", 8),
            "tensor 'x' has bytes 8 to 0 of 8");
  EXPECT_EQ(problemOf("{" + tensor("x", "[3]", "[0,8]") + "}", 8),
            "tensor 'x' has bytes 0 to 8; a f32[3] has 12");
  EXPECT_EQ(
      problemOf("{" + tensor("x", "[4294967296,4294967296]", "[0,0]") + "}"),
      "tensor 'x' has the shape 4294967296x4294967296, which is too large");
  EXPECT_EQ(problemOf("{" + tensor("x", "[1]", "[0,4]") + "}", 8),
            "the file has 8 bytes of data, its tensors 4");
  EXPECT_EQ(problemOf("{" + tensor("x", "[1]", "[4,8]") + "}", 8),
            "tensor 'x' begins at byte 4; the tensor before ends at 0");
  EXPECT_EQ(problemOf("{" + tensor("x", "[1]", "[0,4]") + "," +
                          tensor("y", "[1]", "[0,4]") + "}",
                      4),
            "tensor 'y' begins at byte 0; the tensor before ends at 4");
}

TEST(Safetensors, LengthsAreBounded) {
  AlignedBytes tiny(std::vector<std::byte>(7));
  EXPECT_EQ(Safetensors::parse(tiny).status().message(),
            "this is no safetensors file: it has 7 bytes, of at least 8");
  std::vector<std::byte> file(8, std::byte(0xff));
  EXPECT_EQ(Safetensors::parse(file).status().message(),
            "the header has 18446744073709551615 bytes, of at most 100000000; "
            "is this a safetensors file?");
  file = fileWith("{}", 0);
  file[0] = std::byte(3);
  EXPECT_EQ(Safetensors::parse(file).status().message(),
            "the file is cut: its header has 3 bytes, of 2 there");
}

TEST(Safetensors, EveryTruncationIsAnError) {
  Tensors tensors;
  std::vector<std::byte> file = serializeSafetensors(tensors.list, {}).take();
  for (size_t size = 0; size < file.size(); ++size) {
    AlignedBytes cut(std::span(file).first(size));
    EXPECT_FALSE(Safetensors::parse(cut).ok()) << size;
  }
}

/// What is accepted must be readable to its last byte.
static void touch(const Safetensors &parsed) {
  unsigned sum = 0;
  for (const SafetensorsTensor &tensor : parsed.tensors()) {
    ASSERT_EQ(int64_t(tensor.bytes.size()), tensor.type.bytes());
    for (std::byte byte : tensor.bytes)
      sum += unsigned(byte);
  }
  EXPECT_LE(sum, 255u * 1000);
}

TEST(Safetensors, ChangedBytesNeverCrashTheReader) {
  uint32_t seed = chooseSeed();
  SCOPED_TRACE("SMP_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  Tensors tensors;
  std::vector<std::byte> original =
      serializeSafetensors(tensors.list, {{"k", "v"}}).take();
  AlignedBytes bytes(original);
  int refused = 0;
  auto tryBytes = [&] {
    StatusOr<Safetensors> parsed = Safetensors::parse(bytes);
    refused += !parsed.ok();
    if (parsed.ok())
      touch(*parsed);
    std::copy(original.begin(), original.end(), bytes.bytes().begin());
  };
  for (size_t i = 0; i < original.size(); ++i)
    for (int value = 0; value < 256; ++value) {
      bytes.bytes()[i] = std::byte(value);
      tryBytes();
    }
  static constexpr char kAlphabet[] = "{}[]\":,0123456789-.eE \\truefalsn";
  for (int i = 0; i < 20000; ++i) {
    for (uint32_t edits = random() % 6 + 1; edits > 0; --edits)
      bytes.bytes()[8 + random() % (original.size() - 8)] =
          std::byte(kAlphabet[random() % (sizeof kAlphabet - 1)]);
    tryBytes();
  }
  EXPECT_GT(refused, 20000);
}
