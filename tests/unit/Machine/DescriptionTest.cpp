// Tests of machine descriptions as JSON: what is read back, and what is refused with which message.

#include "isa/Base/Support/Json.h"
#include "isa/Machine/Machine.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace tilerig;
using nlohmann::json;
using nlohmann::ordered_json;

static Machine builtIn(const std::string &name) {
  auto machine = loadMachine(name);
  EXPECT_TRUE(machine);
  return *machine;
}

static std::string refusal(std::string_view text) {
  auto machine = parseMachine(text, "m");
  if (machine)
    return "accepted";
  EXPECT_EQ(machine.error().kind, ErrorKind::invalidInput);
  return machine.error().message();
}

// Collects the JSON paths of all numbers in a printed machine description.
static void collect(const json &object, const std::string &prefix, std::vector<std::string> &paths) {
  for (const auto &[key, value] : object.items())
    if (value.is_object())
      collect(value, prefix + key + "/", paths);
    else if (value.is_number())
      paths.push_back(prefix + key);
}
static std::vector<std::string> figurePaths() {
  std::vector<std::string> paths;
  collect(json::parse(printMachine(builtIn("tr64"))), "/", paths);
  return paths;
}
static std::string dotted(std::string pointer) {
  std::ranges::replace(pointer, '/', '.');
  return pointer.substr(1);
}

// The description of tr64 with another value at the given JSON pointer.
template <class Value>
static std::string with(const std::string &pointer, const Value &value) {
  json description = json::parse(printMachine(builtIn("tr64")));
  description[json::json_pointer(pointer)] = value;
  return description.dump();
}

TEST(Description, listsEveryFigure) { EXPECT_EQ(figurePaths().size(), 40u); }

TEST(Description, everyFigureIsRequired) {
  for (const std::string &path : figurePaths()) {
    json description = json::parse(printMachine(builtIn("tr64")));
    json::json_pointer pointer(path);
    description[pointer.parent_pointer()].erase(pointer.back());
    EXPECT_TRUE(refusal(description.dump())
                    .starts_with("m: " + dotted(path) + ": the key is missing; give a whole number from "))
        << refusal(description.dump());
  }
}

TEST(Description, everyFigureIsAWholeNumberInItsRange) {
  for (const std::string &path : figurePaths()) {
    std::string place = "m: " + dotted(path) + ": ";
    auto refusedWith = [&](const std::string &text, const std::string &value) {
      const std::string message = refusal(text);
      EXPECT_TRUE(message.starts_with(place + "must be a whole number from ")) << message;
      EXPECT_TRUE(message.ends_with(", not " + value)) << message;
    };
    refusedWith(with(path, -1), "-1");
    refusedWith(with(path, 64.0), "64.0");
    refusedWith(with(path, "64"), "\"64\"");
    refusedWith(with(path, true), "true");
    refusedWith(with(path, nullptr), "null");
    refusedWith(with(path, json::object()), "an object");
    refusedWith(with(path, json::array({1})), "a list");
    refusedWith(with(path, UINT64_MAX), "18446744073709551615");
    if (path != "/ddr/size_bytes") // the only number of a description that has 64 bits
      refusedWith(with(path, (uint64_t{1} << 32) + 64), "4294967360");
  }
}

// Numbers that some JSON readers would round, truncate or wrap are refused.
TEST(Description, numbersAreExact) {
  auto withText = [](const std::string &number) {
    std::string text = with("/network/chunk_bytes", 4096);
    return text.replace(text.find("4096"), 4, number);
  };
  EXPECT_EQ(refusal(withText("4096")), "accepted");
  const std::string wanted = "m: network.chunk_bytes: must be a whole number from 64 to 1048576, not ";
  EXPECT_EQ(refusal(withText("4e3")), wanted + "4000.0");
  EXPECT_EQ(refusal(withText("4096.0")), wanted + "4096.0");
  EXPECT_EQ(refusal(withText("18446744073709555712")), // 2^64 + 4096
            wanted + "1.8446744073709556e+19");
  EXPECT_EQ(refusal(withText("4294971392")), // 2^32 + 4096
            wanted + "4294971392");
  EXPECT_TRUE(refusal(withText("04096")).starts_with("m: line 1, column "));
  EXPECT_TRUE(refusal(withText("0x1000")).starts_with("m: line 1, column "));
}

TEST(Description, unknownFieldsAreRefusedWithTheNearest) {
  EXPECT_EQ(refusal(with("/pod/int8/output", 1)),
            "m: the field \"pod.int8.output\" is unknown; did you mean 'pod.int8.outputs'?");
  EXPECT_EQ(refusal(with("/tiles", 64)), "m: the field \"tiles\" is unknown; did you mean 'network.tiles'?");
  EXPECT_EQ(refusal(with("/podd/int8/frequency", 1)),
            "m: the field \"podd\" is unknown; did you mean 'pod'?");
  EXPECT_EQ(refusal(with("/comment", "fast")), "m: the field \"comment\" is unknown");
  EXPECT_EQ(
      refusal(R"({"network.tiles": 64})"),
      "m: the field \"network.tiles\" is unknown; the name of a field contains no dots; write nested objects "
      "instead");
  EXPECT_EQ(refusal(R"({"": 64})"), "m: the field \"\" is unknown");
}

TEST(Description, duplicatesAreRefused) {
  EXPECT_EQ(refusal(R"({"name": "a", "name": "a"})"), "m: name: the key is given twice");
  EXPECT_EQ(refusal(R"({"pod": {"fill_cycles": 1, "fill_cycles": 1}})"),
            "m: pod.fill_cycles: the key is given twice");
  EXPECT_EQ(refusal(R"({"pod": {}, "pe": {}, "pod": {}})"), "m: pod: the key is given twice");
}

TEST(Description, partsAreObjects) {
  EXPECT_EQ(refusal(with("/pod", 5)), "m: pod: must be an object, not 5");
  EXPECT_EQ(refusal(with("/pod/half", "fast")), "m: pod.half: must be an object, not \"fast\"");
  EXPECT_EQ(refusal("7"), "m: must be an object, not 7");
  EXPECT_EQ(refusal("[]"), "m: must be an object, not a list");
}

TEST(Description, nameIsRequired) {
  EXPECT_EQ(refusal("{}"), "m: name: the key is missing");
  EXPECT_EQ(refusal(with("/name", 64)), "m: name: must be a string, not 64");
}

TEST(Description, brokenJsonIsRefusedWithItsPlace) {
  EXPECT_TRUE(refusal("").starts_with("m: line 1, column 1: ")) << refusal("");
  EXPECT_TRUE(refusal("{\n  \"name\": tr64\n}").starts_with("m: line 2, column 1"))
      << refusal("{\n  \"name\": tr64\n}");
  std::string whole = printMachine(builtIn("tr64"));
  EXPECT_TRUE(refusal(whole + "x").starts_with("m: line "));
  EXPECT_TRUE(refusal("// a machine\n" + whole).starts_with("m: line 1, "));
  for (size_t length = 0; length + 2 < whole.size(); ++length)
    EXPECT_TRUE(refusal(whole.substr(0, length)).starts_with("m: line ")) << length;
}

TEST(Description, nestingAndLengthAreBounded) {
  std::string deep;
  for (int i = 0; i < 10'000; ++i)
    deep += "{\"a\":";
  EXPECT_EQ(refusal(deep), "m: a.a.a.a.a.a.a.a: the value is nested more than 8 levels deep");
  EXPECT_EQ(refusal(std::string(65'537, ' ')),
            "m: the JSON text has 65537 bytes, but at most 65536 are allowed");
}

TEST(Description, strangeTextIsShownPrintable) {
  std::string message = refusal("{\"na\\u0000me\xc3\x28\x1b[31m\": 1}");
  for (char c : message)
    EXPECT_TRUE(c >= ' ' && c <= '~') << message;
  EXPECT_LT(refusal("{\"" + std::string(60'000, 'x') + "\": 1}").size(), 200u);
}

TEST(Description, baseProvidesMissingFigures) {
  auto machine = parseMachine(R"({"base": "tr16", "name": "slow", "ddr": {"latency_cycles": 500}})", "m");
  ASSERT_TRUE(machine) << machine.error().message();
  Machine expected = builtIn("tr16");
  expected.name = "slow";
  expected.ddr.latencyCycles = 500;
  EXPECT_EQ(*machine, expected);
  EXPECT_EQ(refusal(R"({"base": "tr17", "name": "slow"})"),
            "m: base: \"tr17\" is not a built-in machine; use one of tr64, tr16, tiny");
  EXPECT_EQ(refusal(R"({"base": "tr16", "name": "tr64"})"),
            "m: name: \"tr64\" is the name of a built-in machine; choose another name for this machine");
  EXPECT_EQ(refusal(R"({"base": "tr16"})"), "m: name: the key is missing");
  EXPECT_EQ(refusal(R"({"base": "tr16", "name": "slow", "ddr": 5})"), "m: ddr: must be an object, not 5");
  EXPECT_EQ(refusal(R"({"base": "tr16", "name": "slow", "network": {"tiles": 8}})"),
            "m: network.tiles: 2 x 2 blocks have 16 tiles, not 8");
}

// The description with its fields in random order.
static ordered_json shuffled(const json &object, std::mt19937 &random) {
  std::vector<std::string> keys;
  for (const auto &[key, value] : object.items())
    keys.push_back(key);
  std::ranges::shuffle(keys, random);
  ordered_json result = ordered_json::object();
  for (const std::string &key : keys)
    result[key] = object[key].is_object() ? shuffled(object[key], random) : ordered_json(object[key]);
  return result;
}

TEST(Description, orderOfFieldsDoesNotMatter) {
  std::mt19937 random(1);
  Machine machine = builtIn("tr64");
  for (int i = 0; i < 20; ++i) {
    auto other = parseMachine(shuffled(json::parse(printMachine(machine)), random).dump(), "m");
    ASSERT_TRUE(other) << other.error().message();
    EXPECT_EQ(*other, machine);
    EXPECT_EQ(printMachine(*other), printMachine(machine));
    EXPECT_EQ(hashMachine(*other), hashMachine(machine));
  }
}

TEST(Description, everyFigureCountsInTextAndHash) {
  Machine machine = builtIn("tr64");
  std::set<uint64_t> hashes = {hashMachine(machine)};
  std::set<std::string> texts = {printMachine(machine)};
  unsigned figures = 0;
  forEachFigure(machine, [&](const FigurePath &, const auto &, auto &value) {
    ++value;
    hashes.insert(hashMachine(machine));
    texts.insert(printMachine(machine));
    --value;
    ++figures;
  });
  machine.name = "other";
  hashes.insert(hashMachine(machine));
  texts.insert(printMachine(machine));
  EXPECT_EQ(hashes.size(), figures + 2);
  EXPECT_EQ(texts.size(), figures + 2);
}

TEST(Description, printedMachinesAreReadBack) {
  for (const std::string &name : builtInMachines()) {
    auto again = parseMachine(printMachine(builtIn(name)), "m");
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_EQ(*again, builtIn(name));
  }
}
