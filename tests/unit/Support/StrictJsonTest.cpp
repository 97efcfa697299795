// Tests of the strict JSON reader: what it accepts, and the position and reason of the error for a text that
// it refuses.
#include "isa/Base/Support/StrictJson.h"

#include "isa/Base/Support/File.h"
#include "tests/support/TemporaryFolder.h"

#include <chrono>
#include <gtest/gtest.h>

namespace tilerig {
namespace {

template <class T>
std::string refusalOf(const Result<T> &result) {
  if (result)
    return "accepted";
  EXPECT_EQ(result.error().kind, ErrorKind::invalidInput);
  return result.error().message();
}

std::string refusal(std::string_view text, JsonLimits limits = {}) {
  return refusalOf(parseStrictJson(text, "f", limits));
}

TEST(StrictJson, BuildsTheTree) {
  const std::string text =
      R"({"z":[1,-2,2.5,"\u00e9\n",true,null,[],{}],"a":{"b":{"c":18446744073709551615}}})";
  const auto json = parseStrictJson(text, "f");
  ASSERT_TRUE(json) << json.error().message();
  EXPECT_EQ(*json, Json::parse(text));
  EXPECT_EQ(json->begin().key(), "z"); // the reader keeps the order of keys in an object
  EXPECT_TRUE((*json)["z"][0].is_number_unsigned());
  EXPECT_TRUE((*json)["z"][1].is_number_integer());
  EXPECT_EQ(*parseStrictJson(" 7 ", "f"), Json(7));
  EXPECT_EQ(*parseStrictJson("\xef\xbb\xbf[]", "f"), Json::array()); // the reader skips a byte order mark
}

TEST(StrictJson, MistakesHaveALineAndAColumn) {
  EXPECT_EQ(refusal("{\n  \"a\": 1,\n  \"b\": ?\n}"), "f:3:8: the JSON text is invalid at \"?\"");
  EXPECT_EQ(refusal("?"), "f:1:1: the JSON text is invalid at \"?\"");
  EXPECT_EQ(refusal("[\n]\n}"), "f:3:1: the JSON text is invalid at \"}\"");
  EXPECT_EQ(refusal("[1 2]"), "f:1:4: the JSON text is invalid at \"2]\"");
  EXPECT_EQ(refusal("[01]"), "f:1:2: the JSON text is invalid at \"01]\"");
  EXPECT_EQ(refusal("{\"a\": 1} x"), "f:1:10: the JSON text is invalid at \"x\"");
  EXPECT_EQ(refusal("[\n int8,\n 1]"), "f:2:2: the JSON text is invalid at \"int8,\"");
  EXPECT_EQ(refusal("{\"a\" -17}"), "f:1:6: the JSON text is invalid at \"-17}\"");
  EXPECT_EQ(refusal("[tru]"), "f:1:2: the JSON text is invalid at \"tru]\"");
  EXPECT_EQ(refusal("// a comment\n[]").substr(0, 6), "f:1:1:");
  EXPECT_EQ(refusal("[\"a\nb\"]"), "f:1:3: the JSON text is invalid at \"a\"");
  EXPECT_EQ(refusal("[1, 2"), "f:1:6: the JSON text ends too early");
  EXPECT_EQ(refusal("[1,\n"), "f:2:1: the JSON text ends too early");
  EXPECT_EQ(refusal("\"a"), "f:1:3: the JSON text ends too early");
  EXPECT_EQ(refusal(""), "f:1:1: the JSON text ends too early");
  EXPECT_EQ(refusalOf(parseStrictJson("\n [,", "")), "line 2, column 3: the JSON text is invalid at \",\"");
  EXPECT_EQ(refusalOf(parseJsonLine("[1 2]", "f", 17)), "f:17:4: the JSON text is invalid at \"2]\"");
}

TEST(StrictJson, RefusesBytesThatAreNoText) {
  EXPECT_EQ(refusal("[\"\xff\"]"), "f:1:3: the text is not valid UTF-8");
  EXPECT_EQ(refusal("[\"\xc3\x28\"]"), "f:1:3: the text is not valid UTF-8");
  EXPECT_EQ(refusal("\xff\xfe"), "f:1:1: the text is not valid UTF-8");
  // Texts that are valid UTF-8, but not valid JSON.
  EXPECT_EQ(refusal("[\xc3\xa9]").substr(0, 29), "f:1:2: the JSON text is inval");
  EXPECT_EQ(refusal(std::string("[]\0x", 4)), "f:1:3: the JSON text has a zero byte");
  EXPECT_EQ(refusal(std::string("[]\0", 3)), "f:1:3: the JSON text has a zero byte");
  EXPECT_EQ(refusal(std::string("[\0]", 3)).substr(0, 6), "f:1:2:");
}

TEST(StrictJson, RefusesNumbersOutOfRange) {
  EXPECT_EQ(refusal("[1e999]"), "f:1:2: the number 1e999 is out of range");
  EXPECT_EQ(refusal("[-1e999]"), "f:1:2: the number -1e999 is out of range");
  EXPECT_TRUE(parseStrictJson("[1e308, 18446744073709551616]", "f"));
}

TEST(StrictJson, RefusesAKeyThatIsGivenTwice) {
  EXPECT_EQ(refusal(R"({"k": 1, "k": 2})"), "f: k: the key is given twice");
  EXPECT_EQ(refusal(R"({"a": {"c": [0, {"k": {}, "k": 2}]}})"), "f: a.c[1].k: the key is given twice");
  EXPECT_EQ(refusal(R"({"k": 1, "\u006b": 2})"), "f: k: the key is given twice");
  EXPECT_EQ(refusalOf(parseStrictJson(R"({"a": [{"k": 1, "k": 2}]})", "")), "a[0].k: the key is given twice");
  EXPECT_EQ(refusalOf(parseJsonLine(R"({"k": 1, "k": 2})", "f", 9)), "f:9: k: the key is given twice");
  EXPECT_TRUE(parseStrictJson(R"([{"k": 1}, {"k": {"k": 2}}])", "f"));
}

TEST(StrictJson, LimitsNesting) {
  EXPECT_TRUE(parseStrictJson("[[{\"a\": 1}]]", "f", {.deepest = 3}));
  EXPECT_EQ(refusal("[0, [{\"a\": []}]]", {.deepest = 3}),
            "f: [1][0].a: the value is nested more than 3 levels deep");
  EXPECT_EQ(refusal("[]", {.deepest = 0}), "f: the value is nested more than 0 levels deep");
  EXPECT_NE(refusal(std::string(1'000'000, '[')).find("nested more than 16 levels deep"), std::string::npos);
  // JSON objects nested a million levels deep, far deeper than a recursive parser could follow.
  std::string deep;
  for (size_t i = 0; i < 1'000'000; ++i)
    deep += "{\"a\":";
  EXPECT_EQ(refusal(deep).substr(0, 9), "f: a.a.a.");
  EXPECT_TRUE(parseStrictJson("[\"[[[[[[[[[[[[[[[[[[[[\\\"{\"]", "f")); // in a string
  EXPECT_EQ(refusal(deep, {.deepest = 2'000'000}), "f:1:5000001: the JSON text ends too early");
}

TEST(StrictJson, LimitsTheLength) {
  EXPECT_EQ(refusal("[1, 2]", {.longest = 5}), "f: the JSON text has 6 bytes, but at most 5 are allowed");
  EXPECT_TRUE(parseStrictJson("[1, 2]", "f", {.longest = 6}));
}

TEST(StrictJson, LongKeysDoNotFillMessages) {
  const std::string key = '"' + std::string(100'000, 'k') + '"';
  EXPECT_LT(refusal("{" + key + ": 1, " + key + ": 2}").size(), 250u);
  EXPECT_LT(refusal("{" + key + ": {" + key + ": [1,]}}").size(), 250u);
}

TEST(StrictJson, ReadsFiles) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.json");
  EXPECT_FALSE(readStrictJson(path));
  ASSERT_TRUE(writeText(path, "{\"a\": [1]}"));
  EXPECT_EQ(*readStrictJson(path), Json::parse(R"({"a": [1]})"));
  EXPECT_EQ(refusalOf(readStrictJson(path, {.longest = 3})),
            path + ": the JSON text has 10 bytes, but at most 3 are allowed");
  ASSERT_TRUE(writeText(path, "{\"a\":\n x}"));
  EXPECT_EQ(refusalOf(readStrictJson(path)).substr(0, path.size() + 5), path + ":2:2:");
}

// A hundred thousand keys of one object take a fraction of a second; with a search through the object for each
// key, they would take minutes.
TEST(StrictJson, TakesTimeInProportionToTheText) {
  std::string text = "{\"key\": 0";
  for (size_t i = 0; i < 100'000; ++i)
    text += ", \"key" + std::to_string(i) + "\": {\"a\": 0}";
  const auto begin = std::chrono::steady_clock::now();
  const auto json = parseStrictJson(text + "}", "f");
  ASSERT_TRUE(json) << json.error().message();
  EXPECT_EQ(json->size(), 100'001u);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

// --- Places ---

class Places : public testing::Test {
protected:
  Json json = Json::parse(
      R"({"file_type": "Test", "list": [1, {"word": "red"}], "half": 0.5, "minus": -3, "yes": true,
                              "most": 18446744073709551615})");
  JsonPlace file{&json, "f.json"};
};

TEST_F(Places, ReadValues) {
  EXPECT_EQ(*file.at("file_type").text(), "Test");
  EXPECT_EQ(*file.at("half").number(), 0.5);
  EXPECT_EQ(*file.at("minus").number(), -3);
  EXPECT_EQ(*file.at("minus").wholeNumber<int64_t>(), -3);
  EXPECT_EQ(*file.at("most").wholeNumber<uint64_t>(), UINT64_MAX);
  EXPECT_EQ(*file.at("list").at(0).wholeNumber<uint8_t>(1, 1), 1);
  EXPECT_TRUE(*file.at("yes").boolean());
  const std::array<std::string_view, 2> words = {"blue", "red"};
  EXPECT_EQ(*file.at("list").at(1).at("word").indexIn(words), 1u);
  EXPECT_TRUE(file.expectFileType("Test"));
  EXPECT_TRUE(file.at("list").expectList());
  EXPECT_TRUE(file.at("list").at(1).expectObject({"word", "number"}));
}

TEST_F(Places, RefuseOtherTypes) {
  EXPECT_EQ(refusalOf(file.at("half").text()), "f.json: half: must be a string, not 0.5");
  EXPECT_EQ(refusalOf(file.at("list").text()), "f.json: list: must be a string, not a list");
  EXPECT_EQ(refusalOf(file.at("list").at(1).boolean()),
            "f.json: list[1]: must be true or false, not an object");
  EXPECT_EQ(refusalOf(file.at("list").at(1).at("word").number()),
            "f.json: list[1].word: must be a number, not \"red\"");
  EXPECT_EQ(refusalOf(file.at("list").expectObject()), "f.json: list: must be an object, not a list");
  EXPECT_EQ(refusalOf(file.at("yes").expectList()), "f.json: yes: must be a list, not true");
  EXPECT_EQ(refusalOf(file.expectFileType("Table")), "f.json: file_type: must be \"Table\", not \"Test\"");
  EXPECT_EQ(refusalOf(file.at("list").expectFileType("Test")), "f.json: list: must be an object, not a list");
  const std::array<std::string_view, 2> words = {"reed", "blue"};
  EXPECT_EQ(refusalOf(file.at("half").indexIn(words)), "f.json: half: must be a string, not 0.5");
  EXPECT_EQ(refusalOf(file.at("list").at(1).at("word").indexIn(words)),
            "f.json: list[1].word: unknown value \"red\"; did you mean 'reed'?");
}

TEST_F(Places, RefuseNumbersOutsideTheRange) {
  EXPECT_EQ(refusalOf(file.at("half").number(1)), "f.json: half: must be a number of at least 1, not 0.5");
  EXPECT_EQ(refusalOf(file.at("half").wholeNumber<int>(-5, 5)),
            "f.json: half: must be a whole number from -5 to 5, not 0.5");
  EXPECT_EQ(refusalOf(file.at("minus").wholeNumber<uint16_t>()),
            "f.json: minus: must be a whole number from 0 to 65535, not -3");
  EXPECT_EQ(refusalOf(file.at("minus").wholeNumber(-2, 7)),
            "f.json: minus: must be a whole number from -2 to 7, not -3");
  EXPECT_EQ(refusalOf(file.at("most").wholeNumber<int64_t>(0)),
            "f.json: most: must be a whole number from 0 to 9223372036854775807, not 18446744073709551615");
  EXPECT_EQ(refusalOf(file.at("list").at(0).wholeNumber(2, 2)), "f.json: list[0]: must be 2, not 1");
}

TEST_F(Places, RefuseMissingValues) {
  const JsonPlace missing = file.at("colour");
  EXPECT_FALSE(missing);
  EXPECT_FALSE(missing.at("deeper"));
  EXPECT_FALSE(file.at("half").at("deeper")); // "half" is no object, so it has no keys
  const std::string reason = "f.json: colour: the key is missing";
  EXPECT_EQ(refusalOf(missing.text()), reason);
  EXPECT_EQ(refusalOf(missing.number()), reason);
  EXPECT_EQ(refusalOf(missing.boolean()), reason);
  EXPECT_EQ(refusalOf(missing.wholeNumber<int>()), reason);
  EXPECT_EQ(refusalOf(missing.expectObject()), reason);
  EXPECT_EQ(refusalOf(missing.expectObject({"a"})), reason);
  EXPECT_EQ(refusalOf(missing.expectList()), reason);
  const std::array<std::string_view, 2> words = {"red", "blue"};
  EXPECT_EQ(refusalOf(missing.indexIn(words)), reason + "; expected red or blue");
  EXPECT_EQ(refusalOf(JsonPlace{nullptr, ""}.at("a").at("b").text()), "a.b: the key is missing");
  EXPECT_EQ(refusalOf(file.at("list").at(1).expectFileType("Test")),
            "f.json: list[1].file_type: the key is missing");
}

TEST_F(Places, RefuseUnknownKeys) {
  EXPECT_EQ(refusalOf(file.expectObject({"file_type", "list", "half", "minus", "yes", "moist"})),
            "f.json: most: unknown key; did you mean 'moist'?");
  EXPECT_EQ(refusalOf(file.at("list").at(1).expectObject({"number", "letter"})),
            "f.json: list[1].word: unknown key; expected number or letter");
}

TEST(InQuotes, IsShortAndPrintable) {
  EXPECT_EQ(inQuotes("a\"b"), R"("a\"b")");
  EXPECT_EQ(inQuotes("\x1b\xff"), R"("\u001b\ufffd")");
  EXPECT_EQ(inQuotes(std::string(50, 'x')), '"' + std::string(40, 'x') + "...\"");
}

} // namespace
} // namespace tilerig
