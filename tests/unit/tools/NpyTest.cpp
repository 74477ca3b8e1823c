// SPDX-License-Identifier: Apache-2.0
#include "smp/tools/Npy.h"
#include "TemporaryFolder.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace smp;

/// A file of version 1 with this dictionary and data.
static std::string npy(const std::string &dictionary, const std::string &data,
                       char version = 1) {
  std::string file = "\x93NUMPY";
  file +=
      {version, 0, char(dictionary.size() & 255), char(dictionary.size() >> 8)};
  if (version > 1)
    file += std::string(2, '\0');
  return file + dictionary + data;
}

static StatusOr<HostTensor> parse(const std::string &file) {
  return parseNpy(std::as_bytes(std::span(file)));
}

static std::string problemOf(const std::string &dictionary,
                             const std::string &data = "") {
  StatusOr<HostTensor> tensor = parse(npy(dictionary, data));
  return tensor.ok() ? "sound" : tensor.status().message();
}

TEST(Npy, EveryTypeComesBack) {
  TemporaryFolder folder;
  for (uint8_t i = 0; i < kNumDTypes; ++i)
    for (Shape shape : {Shape{}, Shape{1}, Shape{2, 3}, Shape{0, 4}}) {
      HostTensor tensor = HostTensor::zeros({DType(i), shape});
      for (size_t k = 0; k < tensor.bytes.size(); ++k)
        tensor.bytes[k] = std::byte(k % 2);
      std::string path = folder.file("t.npy");
      ASSERT_TRUE(writeNpy(tensor.type, tensor.bytes, path).ok());
      StatusOr<HostTensor> back = readNpy(path);
      ASSERT_TRUE(back.ok()) << back.status().message();
      EXPECT_EQ(back->bytes, tensor.bytes);
      EXPECT_EQ(back->type.shape, shape);
      DType wanted = DType(i) == DType::BF16 ? DType::U16 : DType(i);
      EXPECT_EQ(back->type.dtype, wanted);
    }
}

TEST(Npy, HeadersAreThoseOfNumPy) {
  EXPECT_EQ(formatNpyHeader({DType::F32, {3, 4}}),
            npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }" +
                    std::string(58, ' ') + "\n",
                ""));
  EXPECT_EQ(formatNpyHeader({DType::Bool, {7}}).substr(10, 58),
            "{'descr': '|b1', 'fortran_order': False, 'shape': (7,), } ");
  EXPECT_EQ(formatNpyHeader({DType::I64, {}}).substr(10, 56),
            "{'descr': '<i8', 'fortran_order': False, 'shape': (), } ");
  EXPECT_EQ(formatNpyHeader({DType::I64, Shape(40, 1)}).size() % 64, 0u);
}

TEST(Npy, EveryVersionAndEverySpellingIsRead) {
  const std::string data(8, '\1');
  for (char version : {1, 2, 3}) {
    StatusOr<HostTensor> tensor = parse(npy(
        "{'descr':'<f4','fortran_order':False,'shape':(2,)}\n", data, version));
    ASSERT_TRUE(tensor.ok()) << tensor.status().message();
    EXPECT_EQ(tensor->type, (TensorType{DType::F32, {2}}));
  }
  EXPECT_EQ(problemOf("{ \"shape\" : ( 2 , 1 , ) , \"descr\": \"<f4\", "
                      "'fortran_order' : False }  \n",
                      data),
            "sound");
  StatusOr<HostTensor> bf16 = parse(
      npy("{'descr': '|V2', 'fortran_order': False, 'shape': (4,), }", data));
  ASSERT_TRUE(bf16.ok());
  EXPECT_EQ(bf16->type.dtype, DType::BF16);
}

TEST(Npy, WhatIsWrongIsNamed) {
  auto with = [](const char *descr, const char *order, const char *shape) {
    return std::string("{'descr': '") + descr + "', 'fortran_order': " + order +
           ", 'shape': " + shape + ", }";
  };
  EXPECT_EQ(problemOf(with("<f4", "True", "(2, 2)")),
            "it is in Fortran order; save numpy.ascontiguousarray() of it");
  EXPECT_EQ(problemOf(with(">f4", "False", "(1,)"), "1234"),
            "its type '>f4' is big-endian; save it as '<f4'");
  EXPECT_EQ(problemOf(with("<c8", "False", "(1,)")),
            "its type '<c8' is none that smp knows");
  EXPECT_EQ(problemOf(with("<f4", "False", "(2,)"), "1234"),
            "it has 4 bytes of data; a f32[2] has 8");
  EXPECT_EQ(problemOf(with("<f4", "False", "(1,)"), "12345"),
            "it has 5 bytes of data; a f32[1] has 4");
  EXPECT_EQ(problemOf(with("<f4", "False", "(9223372036854775807, 2)")),
            "its shape 9223372036854775807x2 is too large");
  EXPECT_EQ(problemOf(with("|b1", "False", "(2,)"), std::string("\1\2")),
            "element 1 is a bool of 2");
  EXPECT_EQ(problemOf("{'descr': '<f4', 'shape': (1,), }"),
            "its header needs 'descr', 'fortran_order' and 'shape', once each");
  EXPECT_EQ(problemOf("{'descr': '<f4', 'descr': '<f4', 'fortran_order': "
                      "False, 'shape': (1,), }"),
            "its header needs 'descr', 'fortran_order' and 'shape', once each");
  for (const char *text :
       {"", "{", "[]", "{'descr'", "{'descr': ", "{'descr': '<f4", "{'x': 1}",
        "{'shape': (1 2)}", "{'shape': (1)}", "{'shape': (-1,)}",
        "{'shape': (99999999999999999999,)}", "{'fortran_order': maybe}",
        "{} trailing", "{,}"})
    EXPECT_EQ(problemOf(text).find("its header is wrong at byte "), 0u) << text;
}

TEST(Npy, OtherFilesAreNamed) {
  TemporaryFolder folder;
  folder.write("t", "not an array");
  EXPECT_EQ(readNpy(folder.file("t")).status().message(),
            "cannot read '" + folder.file("t") + "': this is no .npy file");
  EXPECT_EQ(parse(npy("{}", "", 4)).status().message(),
            "its version 4 is unknown; 1 to 3 are");
  std::string cut = npy("{'descr': '<f4'}", "").substr(0, 15);
  EXPECT_EQ(parse(cut).status().message(),
            "it is cut: it has 15 bytes, its header ends at 26");
}

TEST(Npy, BytesThatDoNotFitAreNotWritten) {
  TemporaryFolder folder;
  std::vector<std::byte> bytes(7);
  Status status = writeNpy({DType::F32, {2}}, bytes, folder.file("t.npy"));
  EXPECT_EQ(status.message(), "cannot write '" + folder.file("t.npy") +
                                  "': given 7 bytes for a f32[2] of 8");
  EXPECT_TRUE(folder.names().empty());
}

TEST(Npy, ChangedAndCutBytesNeverCrash) {
  std::string original =
      formatNpyHeader({DType::Bool, {2, 3}}) + std::string(6, '\1');
  int refused = 0;
  for (size_t i = 0; i < original.size(); ++i) {
    EXPECT_FALSE(parse(original.substr(0, i)).ok()) << i;
    for (int value = 0; value < 256; ++value) {
      std::string changed = original;
      changed[i] = char(value);
      // In a block of its own size, so that a sanitizer sees its end.
      std::vector<std::byte> block(changed.size());
      std::memcpy(block.data(), changed.data(), changed.size());
      refused += !parseNpy(block).ok();
    }
  }
  EXPECT_GT(refused, 10000);
}
