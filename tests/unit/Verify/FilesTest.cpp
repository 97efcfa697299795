// Tests of files that users write (thresholds, tensor maps) and of record files: what they mean, and that
// damaged ones are refused.
#include "isa/Base/Support/File.h"
#include "tests/support/RandomTensor.h"
#include "tests/support/TemporaryFolder.h"
#include "verify/Inputs/MapFile.h"
#include "verify/Inputs/ScalesFile.h"
#include "verify/Inputs/ThresholdsFile.h"
#include "verify/Inputs/Transpose.h"
#include "verify/Records/RecordFile.h"

namespace tilerig::verify {
namespace {

// The text with some bytes changed, removed or duplicated.
std::string damaged(std::string text, Random &random) {
  for (size_t i = 0, count = 1 + random.below(3); i < count && !text.empty(); ++i) {
    const size_t at = random.below(text.size());
    switch (random.below(4)) {
    case 0:
      text[at] = static_cast<char>(random.next());
      break;
    case 1:
      text.erase(at, 1 + random.below(8));
      break;
    case 2:
      text.insert(at, text.substr(random.below(text.size()), 12));
      break;
    default:
      text[at] = "{}[]\",:0-e"[random.below(10)];
    }
  }
  return text;
}

// Parses a text of which some bytes were changed, removed or duplicated, many times. Each damaged text must
// parse or be refused with the name of the file. Returns the number of refusals.
template <class Parse>
size_t refusalsOf(const std::string &text, const Parse &parse) {
  Random random(6);
  size_t refusals = 0;
  for (size_t i = 0; i < 20000; ++i) {
    const std::string bad = damaged(text, random);
    auto result = parse(bad, "file.json");
    if (result)
      continue;
    ++refusals;
    EXPECT_EQ(result.error().kind, ErrorKind::invalidInput) << bad;
    EXPECT_EQ(result.error().place.substr(0, 9), "file.json") << bad;
    EXPECT_FALSE(result.error().what.empty()) << bad;
  }
  return refusals;
}

TEST(Files, DamagedOnesAreRefusedByName) {
  const std::string thresholds = R"({"file_type": "Thresholds", "dtypes": {"float16": {"rel_err": 5e0}},
    "layers": {"conv\u0031": {"oom_limit": 200, "rel_err": 1, "bit_off": 2, "output_type": "int8"}}})";
  ASSERT_TRUE(parseThresholds(thresholds, "file.json"));
  EXPECT_GT(refusalsOf(thresholds, parseThresholds), 10000u);
  const std::string map = R"({"file_type": "TensorMap", "left_out": ["counter"],
    "pairs": [{"reference": "x", "target": "y", "transpose": [0, 2, 1]}, {"reference": "a", "target": "b"}]})";
  ASSERT_TRUE(parseMap(map, "file.json"));
  EXPECT_GT(refusalsOf(map, parseMap), 10000u);
  const std::string scales = R"({"file_type": "TensorScales",
    "tensors": {"conv1": {"scale": 0.0235, "zero_point": -128}, "relu\u0031": {"scale": 1e-2}}})";
  ASSERT_TRUE(parseScales(scales, "file.json"));
  EXPECT_GT(refusalsOf(scales, parseScales), 10000u);
}

TEST(Files, ScalesHaveAZeroPointOrNone) {
  const auto scales = parseScales(
      R"({"file_type": "TensorScales", "tensors": {"a": {"scale": 0.5, "zero_point": -3}, "b": {"scale": 2}}})",
      "f");
  ASSERT_TRUE(scales) << scales.error().message();
  EXPECT_EQ(scales->at("a").scale, 0.5);
  EXPECT_EQ(scales->at("a").zero, -3);
  EXPECT_EQ(scales->at("b").zero, 0);
  for (const char *wrong : {R"({"scale": 0})", R"({"scale": -1})", R"({"zero_point": 1})",
                            R"({"scale": 1, "zero_point": 0.5})", R"({"scale": 1, "zero": 1})"})
    EXPECT_FALSE(
        parseScales(std::string(R"({"file_type": "TensorScales", "tensors": {"a": )") + wrong + "}}", "f"))
        << wrong;
}

TEST(Files, RecordsComeBack) {
  TemporaryFolder folder;
  const std::string path = folder.path("records.jsonl");
  auto file = RecordFile::create(path);
  ASSERT_TRUE(file);
  RunDescription description;
  description.target = "t.npz";
  ASSERT_TRUE(file->add(runRecord(description)));
  // Records are flushed one by one, so they can be read while the file is still open.
  auto records = readRecords(path);
  ASSERT_TRUE(records);
  EXPECT_EQ(records->size(), 1u);
  EXPECT_EQ((*records)[0]["target"], "t.npz");
  ASSERT_TRUE(writeText(path, "{\"record\": \"layer\"}\n"));
  EXPECT_REFUSED(readRecords(path), "this is not a file of records");
  ASSERT_TRUE(writeText(path, "{\"record\": \"run\", \"version\": 1}\n[]\n"));
  EXPECT_REFUSED(readRecords(path), "records.jsonl:2: the line is not a record, that is, a JSON object");
  ASSERT_TRUE(writeText(path, "{\"record\": \"run\", \"version\": 99}\n"));
  EXPECT_REFUSED(readRecords(path), "the records have another version");
  ASSERT_TRUE(writeText(path, "{\"record\": \"run\", \"version\": 1}\n{\"rec"));
  EXPECT_REFUSED(readRecords(path), "records.jsonl:2:6: the JSON text ends too early");
}

TEST(Files, AxesInAnotherOrder) {
  auto tensor = Tensor::of<int16_t>({2, 1, 3}, {1, 2, 3, 4, 5, 6});
  auto turned = transpose(tensor, {2, 0, 1});
  ASSERT_TRUE(turned);
  EXPECT_TRUE(identical(*turned, Tensor::of<int16_t>({3, 2, 1}, {1, 4, 2, 5, 3, 6})));
  EXPECT_TRUE(identical(*transpose(Tensor::scalar<float>(3), {}), Tensor::scalar<float>(3)));
  EXPECT_TRUE(identical(*transpose(Tensor(DType::f32, {0, 2}), {1, 0}), Tensor(DType::f32, {2, 0})));
}

} // namespace
} // namespace tilerig::verify
