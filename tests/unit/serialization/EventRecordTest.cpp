// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/EventRecord.h"
#include "Proto.h"
#include "Seed.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace smp;

using Bytes = std::vector<std::byte>;

static Bytes fromHex(std::string_view hex) {
  Bytes bytes;
  for (size_t i = 0; i < hex.size(); i += 2)
    bytes.push_back(std::byte(
        std::stoi(std::string(hex.substr(i, 2)), /*idx=*/nullptr, 16)));
  return bytes;
}

// Read by smdebug's own reader.
static const std::string kGolden =
    "54000000000000005f51458709000000000000f83f10dc0b2a460a440a05612f623a30"
    "4a1b0a0e0a096d6f64655f737465701201370a090a046d6f6465120131421e08011208"
    "120208021202080222100000803f000000400000404000008040b3c02d06";

static const float kFour[] = {1, 2, 3, 4};

static EventRecord goldenRecord() {
  return {.name = "a/b:0",
          .wallTime = 1.5,
          .step = 1500,
          .mode = Mode::Train,
          .modeStep = 7,
          .type = {DType::F32, {2, 2}},
          .bytes = std::as_bytes(std::span(kFour))};
}

TEST(EventRecord, WritesTheGoldenBytes) {
  Bytes file;
  ASSERT_TRUE(appendEventRecord(goldenRecord(), file).ok());
  EXPECT_EQ(file, fromHex(kGolden));
}

TEST(EventRecord, ReadsTheGoldenBytes) {
  const Bytes file = fromHex(kGolden);
  const auto record = decodeEventRecord(file);
  ASSERT_TRUE(record.ok()) << record.status().message();
  EXPECT_EQ(record->name, "a/b:0");
  EXPECT_EQ(record->wallTime, 1.5);
  EXPECT_EQ(record->step, 1500u);
  EXPECT_EQ(record->mode, Mode::Train);
  EXPECT_EQ(record->modeStep, 7u);
  EXPECT_EQ(toString(record->type), "f32[2x2]");
  EXPECT_EQ(std::memcmp(record->bytes.data(), kFour, sizeof(kFour)), 0);
  EXPECT_EQ(*eventRecordBytes(file), file.size());
}

TEST(EventRecord, KeepsTextsAndScalars) {
  EventRecord record = goldenRecord();
  Bytes file;
  record.type.shape = {};
  record.bytes = record.bytes.first(4);
  ASSERT_TRUE(appendEventRecord(record, file).ok());
  EXPECT_EQ(toString(decodeEventRecord(file)->type), "f32[]");
  file.clear();
  record.texts = {"one", "", "three"};
  ASSERT_TRUE(appendEventRecord(record, file).ok());
  const auto read = decodeEventRecord(file);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->texts, record.texts);
  EXPECT_TRUE(read->bytes.empty());
}

TEST(EventRecord, KeepsEveryTypeThatReadersKnow) {
  const Bytes elements(8);
  for (uint8_t i = 0; i < kNumDTypes; ++i) {
    EventRecord record = goldenRecord();
    record.type = {DType(i), {1}};
    record.bytes = std::span(elements).first(sizeOf(DType(i)));
    Bytes file;
    const bool isStored = storedEventType(DType(i)) == DType(i);
    EXPECT_EQ(appendEventRecord(record, file).ok(), isStored) << int(i);
    EXPECT_EQ(file.empty(), !isStored);
    if (isStored)
      EXPECT_EQ(decodeEventRecord(file)->type, record.type);
  }
}

static std::string refusal(void (*change)(EventRecord &)) {
  EventRecord record = goldenRecord();
  change(record);
  Bytes file;
  const Status status = appendEventRecord(record, file);
  EXPECT_TRUE(file.empty());
  return status.message();
}

TEST(EventRecord, RefusesWhatReadersWouldNotRead) {
  EXPECT_EQ(refusal([](EventRecord &record) { record.name = ""; }),
            "'': a record needs the name of its tensor");
  EXPECT_EQ(refusal([](EventRecord &record) { record.type.shape = {2, 0}; }),
            "'a/b:0': it has no elements, which records cannot hold");
  EXPECT_EQ(refusal([](EventRecord &record) { record.type.shape = {3}; }),
            "'a/b:0': has 16 bytes; f32[3] has 12");
  EXPECT_EQ(refusal([](EventRecord &record) { record.type.dtype = DType::I8; }),
            "'a/b:0': readers know no i8; convert it to i32");
  EXPECT_EQ(refusal([](EventRecord &record) { record.mode = Mode(5); }),
            "'a/b:0': no mode has the number 5");
}

/// The golden record with bytes from `at` on replaced.
static std::string damage(size_t at, std::string_view hex) {
  Bytes file = fromHex(kGolden);
  const Bytes other = fromHex(hex);
  std::copy(other.begin(), other.end(), file.begin() + ptrdiff_t(at));
  const auto record = decodeEventRecord(file);
  return record.ok() ? "" : record.status().message();
}

TEST(EventRecord, NamesWhatIsDamaged) {
  EXPECT_EQ(damage(0, "55"), "byte 8: the digest of the record's length does "
                             "not fit its length");
  EXPECT_EQ(damage(96, "b4"), "byte 96: not the footer that ends a record");
  EXPECT_EQ(damage(12, "0a"), "byte 12: the wall time has the wire type 2, "
                              "not 1");
  EXPECT_EQ(damage(50, "38"), "byte 52: no field has the wire type 7");
  EXPECT_EQ(damage(52, "61"), "byte 37: mode_step is 'a'; a number from 0");
  EXPECT_EQ(damage(63, "35"), "byte 53: mode is '5'; 1 to 4");
  EXPECT_EQ(damage(67, "07"), "byte 64: elements of type 7, which smp has not");
  EXPECT_EQ(damage(73, "03"), "byte 64: has 16 bytes and 0 texts; f32[3x2] has "
                              "24 bytes");
  EXPECT_EQ(damage(73, "00"), "byte 64: a tensor without elements");
}

TEST(EventRecord, NothingShorterIsARecord) {
  const Bytes file = fromHex(kGolden);
  for (size_t size = 0; size < file.size(); ++size) {
    const auto record = decodeEventRecord(std::span(file).first(size));
    ASSERT_FALSE(record.ok()) << size;
    EXPECT_EQ(record.status().code(), StatusCode::DataLoss);
  }
}

TEST(EventRecord, AnyBytesGiveARecordOrSayWhatIsWrong) {
  const uint32_t seed = chooseSeed();
  SCOPED_TRACE("SMP_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  const Bytes golden = fromHex(kGolden);
  for (int round = 0; round < 20000; ++round) {
    Bytes file = golden;
    for (int i = 0; i < 3; ++i)
      file[12 + random() % (file.size() - 16)] = std::byte(random());
    const auto record = decodeEventRecord(file);
    if (!record.ok())
      ASSERT_FALSE(record.status().message().empty());
  }
}

TEST(Proto, NumbersOfEveryLength) {
  ProtoWriter writer;
  for (int bits = 0; bits < 64; ++bits)
    writer.number(7, uint64_t(1) << bits);
  ProtoReader reader(writer.all(), 0);
  for (int bits = 0; bits < 64; ++bits) {
    const auto field = reader.next();
    ASSERT_TRUE(field.ok());
    EXPECT_EQ(field->id, 7u);
    EXPECT_EQ(field->number, uint64_t(1) << bits);
  }
  EXPECT_TRUE(reader.atEnd());
}

TEST(Proto, RefusesNumbersOfMoreBits) {
  const Bytes tooLong = fromHex("08ffffffffffffffffff02");
  EXPECT_EQ(ProtoReader(tooLong, 0).next().status().message(),
            "byte 1: a number has more than 64 bits");
  const Bytes group = fromHex("0b");
  EXPECT_EQ(ProtoReader(group, 5).next().status().message(),
            "byte 5: no field has the wire type 3");
}
