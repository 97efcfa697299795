// Test of the command `tilerig classify` on dumps of a whole network in half precision, where rounding makes
// single elements of correct layers fail before the layer with the bug.
#include "isa/Base/Support/Json.h"
#include "tests/support/RunProgram.h"
#include "tests/support/TemporaryFolder.h"

#include <gtest/gtest.h>

namespace tilerig::test {
namespace {

using Json = nlohmann::json;

class ClassifyNetwork : public testing::Test {
protected:
  TemporaryFolder folder;

  Outcome command(const std::string &name, std::vector<std::string> words) {
    words.insert(words.begin(), commandFolder() + "/tilerig-" + name);
    return runProgram(words);
  }
  void expectDone(const Outcome &outcome) { ASSERT_EQ(outcome.exitCode, 0) << outcome.errors; }

  void dumpReference() {
    expectDone(command("zoo", {"resnet18", "--image-size", "48", "-o", folder.path("m.onnx")}));
    expectDone(
        command("reference", {folder.path("m.onnx"), "--seed", "1", "--save-inputs", folder.path("in.npz"),
                              "--capture", "all", "--capture-to", folder.path("r.npz")}));
  }
  void dumpDevice(const std::vector<std::string> &bug) {
    std::vector<std::string> words = {folder.path("m.onnx"), "--precision", "fp16", "--tiles", "4", "-o",
                                      folder.path("m.trb")};
    words.insert(words.end(), bug.begin(), bug.end());
    expectDone(command("compile", words));
    expectDone(
        command("run", {folder.path("m.trb"), "-i", folder.path("in.npz"), "-o", folder.path("out.npz"),
                        "--capture", "all", "--capture-to", folder.path("t.npz")}));
  }
  Outcome classify(const std::vector<std::string> &more) {
    std::vector<std::string> words = {"--reference", folder.path("r.npz"), "--target", folder.path("t.npz"),
                                      "--across-types"};
    words.insert(words.end(), more.begin(), more.end());
    return command("classify", words);
  }
};

TEST_F(ClassifyNetwork, HeadlineIsTheFirstThatIsWrong) {
  dumpReference();
  dumpDevice({});
  const std::string sound = classify({}).output;
  EXPECT_EQ(sound.find("first"), std::string::npos) << sound;
  EXPECT_NE(sound.find("no tensor is judged wrong"), std::string::npos) << sound;

  dumpDevice({"--inject", "bias-missing@layer2.0.bn2"});
  const Json document = Json::parse(classify({"--json"}).output, nullptr, false);
  EXPECT_EQ(document["verdict"]["layer"], "layer2.0.bn2");
  EXPECT_EQ(document["verdict"]["class"], "bias_loading");
  bool hasSoundBefore = false;
  for (const Json &layer : document["layers"]) {
    if (layer["name"] == "layer2.0.bn2")
      break;
    hasSoundBefore |= layer["status"] == "mismatch" && layer["verdict"]["class"] == "no_error";
  }
  EXPECT_TRUE(hasSoundBefore); // at least one layer before the bug must mismatch by rounding alone
  const std::string text = classify({}).output;
  EXPECT_NE(text.find("first wrong: layer2.0.bn2: bias_loading"), std::string::npos) << text;
  EXPECT_EQ(text.find("layer1."), std::string::npos) << text; // layers without a bug are not listed
  EXPECT_NE(classify({"--all"}).output.find("layer1.0.relu1"), std::string::npos);
}

} // namespace
} // namespace tilerig::test
