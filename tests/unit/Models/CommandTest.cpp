// Tests of the command `tilerig zoo`, run as a program.
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Json.h"
#include "models/Networks/Catalogue.h"
#include "tests/support/RunProgram.h"
#include "tests/support/TemporaryFolder.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace tilerig::models {
namespace {

using test::Outcome;

class ZooCommand : public testing::Test {
protected:
  static Outcome run(std::vector<std::string> words) {
    words.insert(words.begin(), test::commandFolder() + "/tilerig-zoo");
    return test::runProgram(words);
  }
  std::string bytesOf(const std::string &name) {
    auto bytes = readText(folder.path(name));
    EXPECT_TRUE(bytes) << bytes.error().message();
    return bytes ? *bytes : "";
  }
  // Expects the command to refuse its arguments: one line on standard error that contains `says`, and no
  // output file.
  void expectRefused(std::vector<std::string> words, const std::string &says, int exitCode = 2) {
    Outcome outcome = run(words);
    EXPECT_EQ(outcome.exitCode, exitCode) << says;
    EXPECT_EQ(outcome.output, "");
    EXPECT_EQ(outcome.errors.find('\n'), outcome.errors.size() - 1) << outcome.errors;
    EXPECT_NE(outcome.errors.find(says), std::string::npos) << outcome.errors;
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  }

  TemporaryFolder folder;
};

TEST_F(ZooCommand, ListsEveryNetworkForPeopleAndForMachines) {
  Outcome text = run({"--list"}), json = run({"--list", "--json"});
  ASSERT_EQ(text.exitCode, 0) << text.errors;
  ASSERT_EQ(json.exitCode, 0) << json.errors;
  auto document = nlohmann::json::parse(json.output);
  ASSERT_EQ(document.size(), catalogue().size());
  for (size_t i = 0; i < catalogue().size(); ++i) {
    EXPECT_EQ(document[i]["name"], catalogue()[i].name);
    EXPECT_GT(document[i]["parameters"], 0);
    EXPECT_GT(document[i]["macs"], 0);
    EXPECT_FALSE(document[i]["inputs"][0]["shape"].empty());
    EXPECT_NE(text.output.find("\n" + std::string(catalogue()[i].name) + " "), std::string::npos);
  }
}

// The generated weights do not depend on the processor's vector width, although wide vectors sum in another
// order.
TEST_F(ZooCommand, BytesDoNotDependOnVectorWidth) {
  for (const char *width : {"baseline", "avx2", "avx512"}) {
    Outcome outcome = test::runProgram({"env", std::string("TILERIG_REFERENCE_SIMD=") + width,
                                        test::commandFolder() + "/tilerig-zoo", "mobilenet_v2", "-o",
                                        folder.path(width), "--image-size", "64", "--threads", "2"});
    ASSERT_EQ(outcome.exitCode, 0) << width << ": " << outcome.output << outcome.errors;
  }
  std::string expected = bytesOf("baseline");
  ASSERT_FALSE(expected.empty());
  for (const char *width : {"avx2", "avx512"}) {
    std::string bytes = bytesOf(width);
    ASSERT_EQ(bytes.size(), expected.size()) << width;
    EXPECT_TRUE(bytes == expected) << width << ": differs from byte "
                                   << std::ranges::mismatch(bytes, expected).in1 - bytes.begin() << " on";
  }
}

TEST_F(ZooCommand, ReportsTheWrittenFile) {
  Outcome outcome =
      run({"lstm_tagger", "-o", folder.path("t.onnx"), "--json", "--opset", "14", "--batch", "3"});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  auto document = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(document["name"], "lstm_tagger");
  EXPECT_EQ(document["file"], folder.path("t.onnx"));
  EXPECT_EQ(document["opset"], 14);
  EXPECT_EQ(document["seed"], 1);
  EXPECT_EQ(document["nodes"], 8);
  EXPECT_EQ(document["inputs"],
            nlohmann::json::parse(R"([{"name": "words", "type": "int64", "shape": [3, 32]}])"));
  EXPECT_GT(bytesOf("t.onnx").size(), 1'000'000u);
}

TEST_F(ZooCommand, RefusesImpossibleRequests) {
  std::string file = folder.path("x.onnx");
  expectRefused({"resnet5", "-o", file}, "the zoo has no network 'resnet5'; did you mean 'resnet50'?");
  expectRefused({"mobilenetv1", "-o", file}, "did you mean 'mobilenet_v1'?");
  expectRefused({"xylophone", "-o", file}, "expected alexnet, vgg16, ");
  expectRefused({"resnet18"}, "with -o, a file to write");
  expectRefused({}, "tilerig zoo --list shows the networks");
  expectRefused({"--list", "resnet18"}, "has no effect together with --list");
  expectRefused({"--list", "--batch", "2"}, "has no effect together with --list");
  expectRefused({"resnet18", "-o", file, "--opset", "9"}, "opset 9 is not supported; choose 13 to 21");
  expectRefused({"resnet18", "-o", file, "--batch", "0"}, "a batch of 0 is not supported; choose 1 to 4096");
  expectRefused({"resnet18", "-o", file, "--batch", "many"}, "--batch");
  expectRefused({"resnet18", "-o", file, "--image-size", "9"}, "choose an image size from 32 to 512");
  expectRefused({"lstm_tagger", "-o", file, "--image-size", "64"}, "takes no images");
  expectRefused({"lstm_tagger", "-o", file, "--seed", "-1"}, "--seed");
  expectRefused({"lstm_tagger", "-o", file, "--threads", "100000"}, "--threads");
  expectRefused({"lstm_tagger", "-o", folder.path("absent/x.onnx")}, "absent/x.onnx", 3);
}

TEST_F(ZooCommand, ARefusalForMachinesIsADocument) {
  Outcome outcome = run({"resnet5", "-o", folder.path("x.onnx"), "--json"});
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_EQ(outcome.errors, "");
  auto error = nlohmann::json::parse(outcome.output)["error"];
  EXPECT_EQ(error["kind"], "usage");
  EXPECT_EQ(error["remedy"], "did you mean 'resnet50'?");
}

} // namespace
} // namespace tilerig::models
