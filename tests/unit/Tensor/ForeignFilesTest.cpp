// Tests of the formats of other tools: .safetensors, and the JSON files of Polygraphy. A script writes them with numpy; skipped if numpy is
// not installed.
#include "isa/Base/Support/Base64.h"
#include "isa/Base/Tensor/PolygraphyJson.h"
#include "isa/Base/Tensor/Safetensors.h"
#include "isa/Base/Tensor/TensorFiles.h"
#include "tests/support/Folders.h"
#include "tests/support/TemporaryFolder.h"

#include <cstdlib>
#include <cstring>
#include <fmt/core.h>
#include <gtest/gtest.h>

namespace tilerig {

static void expectRefused(const Result<TensorMap> &read, std::string_view why) {
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message().find(why), std::string::npos) << read.error().message();
}

class ForeignFiles : public testing::Test {
protected:
  void SetUp() override {
    if (std::system(PYTHON " -c 'import numpy' >/dev/null 2>&1") != 0)
      GTEST_SKIP() << PYTHON " has no numpy (package python3-numpy)";
    const std::string script = test::sourceFolder() + "/tests/unit/Tensor/foreign_files.py";
    ASSERT_EQ(std::system(fmt::format("{} {} {}", PYTHON, script, folder.path()).c_str()), 0);
  }
  TemporaryFolder folder;
};

TEST_F(ForeignFiles, HaveTheTensorsOfNumpy) {
  const auto expected = readTensors(folder.path("expected.npz"));
  ASSERT_TRUE(expected) << expected.error().message();
  for (const char *file :
       {"x.safetensors", "padded.safetensors", "outputs.json", "old.json", "inputs.json"}) {
    SCOPED_TRACE(file);
    const auto read = readTensors(folder.path(file));
    ASSERT_TRUE(read) << read.error().message();
    ASSERT_EQ(read->size(), expected->size());
    for (const NamedTensor &entry : *expected) {
      const Tensor *tensor = read->find(entry.name);
      ASSERT_TRUE(tensor) << entry.name;
      EXPECT_EQ(tensor->dtype(), entry.tensor.dtype()) << entry.name;
      EXPECT_TRUE(identical(*tensor, entry.tensor)) << entry.name;
    }
  }
}

TEST_F(ForeignFiles, AreReadInPart) {
  for (const char *file : {"x.safetensors", "outputs.json"}) {
    const auto read = readTensors(folder.path(file), [](const TensorHead &head) -> Result<bool> {
      return head.name == "half" && head.dtype == DType::f16 && head.shape == Shape{7};
    });
    ASSERT_TRUE(read) << read.error().message();
    ASSERT_EQ(read->size(), 1U);
    EXPECT_EQ(read->begin()->name, "half");
  }
}

// Of several runners or iterations, it is not known which one is meant.
TEST_F(ForeignFiles, AreRefusedWhereTheyAreAmbiguousOrCutOff) {
  expectRefused(readTensors(folder.path("two.json")), "the file has 2 runners, but one is needed");
  expectRefused(readTensors(folder.path("often.json")), "the file has 2 iterations, but one is needed");
  expectRefused(readTensors(folder.path("cut.safetensors")), "are not within the");
}

static std::string safetensors(const std::string &header, size_t bytes) {
  const uint64_t length = header.size();
  std::string file(sizeof length, '\0');
  std::memcpy(file.data(), &length, sizeof length);
  return file + header + std::string(bytes, '\1');
}

TEST(Safetensors, AreRefusedWithTheReason) {
  const auto parsed = [](const std::string &file) {
    return parseSafetensors(std::as_bytes(std::span(file)), nullptr, "f.safetensors");
  };
  const auto of = [](const char *type, const char *shape, const char *offsets) {
    return safetensors(
        fmt::format(R"({{"x":{{"dtype":"{}","shape":{},"data_offsets":{}}}}})", type, shape, offsets), 8);
  };
  EXPECT_TRUE(parsed(of("F32", "[2]", "[0,8]")));
  expectRefused(parsed("abc"), "too short");
  expectRefused(parsed(std::string(16, '\x7f')), "the header should have");
  expectRefused(parsed(of("F8_E4M3", "[8]", "[0,8]")), "elements of type \"F8_E4M3\" cannot be read");
  expectRefused(parsed(of("F32", "[3]", "[0,8]")), "x");
  expectRefused(parsed(of("F32", "[2]", "[0,9]")),
                "bytes 0 to 9 are not within the 8 bytes behind the header");
  expectRefused(parsed(of("F32", "[2]", "[8,0]")), "bytes 8 to 0");
  expectRefused(parsed(of("F32", "[-2]", "[0,8]")), "shape");
  expectRefused(parsed(of("F32", "[4611686018427387904,4]", "[0,8]")), "x");
  expectRefused(parsed(safetensors("[]", 0)), "object");
  std::string bools = of("BOOL", "[8]", "[0,8]");
  EXPECT_TRUE(parsed(bools)); // all are 1
  bools.back() = 2;
  expectRefused(parsed(bools), "bool");
  expectRefused(
      parsed(safetensors(
          R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},"b":{"dtype":"U8","shape":[1],"data_offsets":[7,8]}})",
          8)),
      "the tensors overlap");
}

TEST(PolygraphyJson, IsRefusedWithTheReason) {
  const auto parsed = [](const std::string &text) { return parsePolygraphyJson(text, "f.json"); };
  expectRefused(parsed("{"), "f.json");
  expectRefused(parsed(R"({"x": 1})"), "neither Polygraphy's results nor its inputs");
  expectRefused(parsed("[]"), "the file has 0 sets of inputs");
  expectRefused(parsed(R"([{"x": {"array": "!!!!"}}])"), "this is not base64");
  expectRefused(parsed(R"([{"x": {"array": "AAAA"}}])"), "f.json: [0].x");
  expectRefused(parsed(R"([{"x": 7}])"), "array");
  expectRefused(parsed(R"({"lst": [["r"]]})"), "expected two values");
}

// The examples of RFC 4648, section 10.
TEST(Base64, IsThatOfTheRfc) {
  const std::pair<std::string_view, std::string_view> examples[] = {{"", ""},
                                                                    {"f", "Zg=="},
                                                                    {"fo", "Zm8="},
                                                                    {"foo", "Zm9v"},
                                                                    {"foob", "Zm9vYg=="},
                                                                    {"fooba", "Zm9vYmE="},
                                                                    {"foobar", "Zm9vYmFy"}};
  for (const auto &[bytes, text] : examples) {
    EXPECT_EQ(toBase64(std::as_bytes(std::span(bytes))), text);
    const auto back = fromBase64(text);
    ASSERT_TRUE(back) << text;
    EXPECT_EQ(std::string_view(reinterpret_cast<const char *>(back->data()), back->size()), bytes);
  }
  for (const std::string_view wrong : {"Zg=", "Zg", "Z===", "Zm9v Zm9", "Zm9\x80", "=Zg=", "Zg==Zg=="})
    EXPECT_FALSE(fromBase64(wrong)) << wrong;
}

} // namespace tilerig
