// Tests of the text form of programs: a printed program parses back to the same file; and the meaning of each
// directive.
#include "isa/Assembly/Grammar.h"
#include "isa/Assembly/Parser.h"
#include "isa/Assembly/Printer.h"
#include "isa/Program/Writer.h"
#include "tests/support/Effort.h"
#include "tests/support/Programs/SampleProgram.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>

namespace tilerig {
namespace {

Assembly assembled(std::string_view text) {
  auto assembly = parseAssembly(text, "x");
  EXPECT_TRUE(assembly) << assembly.error().message() << "\n" << text;
  return assembly ? *std::move(assembly) : Assembly{};
}

void expectSurvives(const Program &program) {
  auto before = serialiseProgram(program);
  ASSERT_TRUE(before) << before.error().message();
  std::string text = printProgram(program);
  auto parsed = parseProgram(text, "x");
  ASSERT_TRUE(parsed) << parsed.error().message() << "\n" << text;
  auto after = serialiseProgram(*parsed);
  ASSERT_TRUE(after) << after.error().message() << "\n" << text;
  ASSERT_TRUE(*after == *before) << text;
  ASSERT_EQ(printProgram(*parsed), text);
}

TEST(ProgramText, RandomProgramsSurvive) {
  test::Random random(3);
  for (uint64_t i = 0; i < test::rounds(2000); ++i)
    expectSurvives(test::sampleProgram(random, *loadMachine(i % 2 ? "tiny" : "tr16")));
}

TEST(ProgramText, ALargeProgramSurvives) {
  test::Random random(4);
  test::SampleLimits limits;
  limits.tiles = 64;
  limits.instructions = 500;
  limits.constantBytes = 4'000'000;
  Program program = test::sampleProgram(random, *loadMachine("tr64"), limits);
  std::vector<std::byte> zeros(300'000);
  zeros[150'000] = std::byte{1};
  program.constants.push_back(test::constantOf(0x1000'0000, std::move(zeros)));
  program.proof.reset();
  expectSurvives(program);
}

TEST(ProgramText, AUserDefinedMachineSurvives) {
  Program program = test::smallestProgram(*loadMachine("tiny"));
  program.machine.name = "mine";
  expectSurvives(program);
  // A machine with the name of a built-in one but another clock must keep its own description.
  program.machine.name = "tiny";
  program.machine.clockMegahertz += 1;
  expectSurvives(program);
}

TEST(ProgramText, AnnotationsAreComments) {
  test::Random random(5);
  for (int i = 0; i < 100; ++i) {
    Program program = test::sampleProgram(random, *loadMachine("tiny"));
    auto parsed = parseProgram(printProgram(program, {.annotate = true, .stage = {}, .tile = {}}), "x");
    ASSERT_TRUE(parsed) << parsed.error().message();
    EXPECT_EQ(printProgram(*parsed), printProgram(program));
  }
  Program program = assembled(".metadata { layers { id: 0 } layers { id: 1 name: \"conv\\n1\" } }\n"
                              "fill layer=1 output=i8 ocm[0] <64>\nhalt")
                        .program;
  EXPECT_EQ(printProgram(program, {.annotate = true, .stage = 0, .tile = 0}), R"(
.stage "main" inference
.tile 0
    ; 0 pe conv\x0a1, 64 bytes
    fill layer=1 output=i8 ocm[0x0] <64>
    ; 1 sequencer , 16 bytes
    halt
)");
}

TEST(ProgramText, OneStageOrTileAlone) {
  Program program = assembled(".tiles 2\n.stage \"a\" initial\n.tile 0\nhalt\n.tile 1\nhalt layer=1\n"
                              ".stage \"b\" inference\n.host \"K\"")
                        .program;
  EXPECT_EQ(printProgram(program, {.stage = 0, .tile = 1}),
            "\n.stage \"a\" initial\n.tile 1\n    halt layer=1\n");
  EXPECT_EQ(printProgram(program, {.stage = 1, .tile = {}}), "\n.stage \"b\" inference\n.host \"K\"\n");
}

TEST(ProgramText, BareInstructionsAreAProgramForOneTileOfTiny) {
  Assembly assembly = assembled("\n; nothing else\nfill output=i8 ocm[0] <64>\n\n  halt");
  const Program &program = assembly.program;
  EXPECT_EQ(program.machine, *loadMachine("tiny"));
  EXPECT_EQ(program.tiles, 1u);
  ASSERT_EQ(program.stages.size(), 1u);
  EXPECT_EQ(program.stages[0].name, "main");
  EXPECT_EQ(program.stages[0].phase, Phase::inference);
  ASSERT_EQ(std::get<DeviceStage>(program.stages[0].work).tiles.size(), 1u);
  EXPECT_EQ(std::get<DeviceStage>(program.stages[0].work).tiles[0].size(), 2u);
  EXPECT_EQ(assembly.lines, (std::vector<std::vector<std::vector<uint32_t>>>{{{3, 5}}}));
  EXPECT_TRUE(assembly.test.empty());
}

TEST(ProgramText, TilesThatAreNotMentionedHalt) {
  Assembly assembly = assembled(".stage \"a\" initial\n.tile 2\nhalt layer=1\n.stage \"b\" finishing\n");
  EXPECT_EQ(assembly.program.tiles, 3u);
  const auto &first = std::get<DeviceStage>(assembly.program.stages[0].work).tiles;
  EXPECT_EQ(first[0], std::vector<Instruction>{Halt{}});
  EXPECT_EQ(first[2], std::vector<Instruction>{Halt{.layer = 1}});
  EXPECT_EQ(std::get<DeviceStage>(assembly.program.stages[1].work).tiles.size(), 3u);
  EXPECT_EQ(assembly.lines,
            (std::vector<std::vector<std::vector<uint32_t>>>{{{0}, {0}, {3}}, {{0}, {0}, {0}}}));
  // If a text mentions a tile, the tile has exactly the instructions written, even if there are none.
  EXPECT_TRUE(std::get<DeviceStage>(assembled(".tile 0").program.stages[0].work).tiles[0].empty());
  EXPECT_TRUE(assembled("").program.stages.empty());
}

std::vector<uint8_t> constantBytes(std::string_view text) {
  Program program = assembled(".constant 0 " + std::string(text)).program;
  std::vector<uint8_t> bytes;
  if (program.constants.size() == 1)
    for (std::byte byte : program.constants[0].bytes)
      bytes.push_back(static_cast<uint8_t>(byte));
  return bytes;
}
template <class T>
std::vector<uint8_t> littleEndian(std::initializer_list<T> values) {
  std::vector<uint8_t> bytes;
  for (T value : values)
    for (size_t i = 0; i < sizeof(T); ++i)
      bytes.push_back(static_cast<uint8_t>(static_cast<uint64_t>(value) >> 8 * i));
  return bytes;
}

TEST(ProgramText, ConstantsOfEveryType) {
  EXPECT_EQ(constantBytes("i8 [1, -128 127,3*2, -1..1]"),
            littleEndian<int8_t>({1, -128, 127, 3, 3, -1, 0, 1}));
  EXPECT_EQ(constantBytes("u8 [0xff 0]"), littleEndian<uint8_t>({255, 0}));
  EXPECT_EQ(constantBytes("i9 [-256 255]"), littleEndian<int16_t>({-256, 255}));
  EXPECT_EQ(constantBytes("i32 [-2147483648 2147483647]"), littleEndian<int32_t>({INT32_MIN, INT32_MAX}));
  EXPECT_EQ(constantBytes("fp32 [1.5 -0 inf 0x7fc00001 1..3]"),
            littleEndian<uint32_t>(
                {0x3fc00000, 0x80000000, 0x7f800000, 0x7fc00001, 0x3f800000, 0x40000000, 0x40400000}));
  // Rounding to nearest even: 1 + 2^-11 lies half way between the fp16 numbers 1 and 1 + 2^-10, and is
  // rounded to 1; 1 + 3 * 2^-11 lies half way between 1 + 2^-10 and 1 + 2^-9, and is rounded to 1 + 2^-9.
  EXPECT_EQ(constantBytes("fp16 [1.00048828125 1.00146484375 65504 -inf 0x7e01 5.9604644775390625e-8]"),
            littleEndian<uint16_t>({0x3c00, 0x3c02, 0x7bff, 0xfc00, 0x7e01, 0x0001}));
  EXPECT_EQ(constantBytes("bf16 [1 1.00390625 1.01171875 -2*2]"),
            littleEndian<uint16_t>({0x3f80, 0x3f80, 0x3f82, 0xc000, 0xc000}));
  EXPECT_EQ(constantBytes("u8 [(1 2)*2 (3, (4 5*2)*2, ()*9)*2]"),
            littleEndian<uint8_t>({1, 2, 1, 2, 3, 4, 5, 5, 4, 5, 5, 3, 4, 5, 5, 4, 5, 5}));
  EXPECT_EQ(constantBytes("i8 []"), littleEndian<int8_t>({}));
  EXPECT_EQ(constantBytes("hex [00ff 1a*2 ; bytes\n 0102*3 03 ]"),
            littleEndian<uint8_t>({0, 255, 0x1a, 0x1a, 1, 2, 1, 2, 1, 2, 3}));
}

TEST(ProgramText, ConstantsAreSortedAndPrintedInRuns) {
  Program program = assembled(".constant 64 i8 [1, 2*40, 3]\n.constant 0 i8 [0*64]").program;
  ASSERT_EQ(program.constants.size(), 2u);
  EXPECT_EQ(program.constants[0].address, 0u);
  std::string text = printProgram(program);
  EXPECT_NE(text.find("\n.constant 0x0 hex [\n    00*64\n]\n"), text.npos) << text;
  EXPECT_NE(text.find("\n.constant 0x40 hex [\n    01020202\n    02*37\n    03\n]\n"), text.npos) << text;
}

TEST(ProgramText, NamesStandForIntegers) {
  Program program =
      assembled(".define rows=4 * 2\n.define ready=3\n.constant weights=0x1000 i8 [0*64]\n"
                "load source=i8 ddr[weights+rows*8 - 64] <rows*64, rows> destination=i8 ocm[rows]\n"
                "wait semaphore=ready value=rows\nhalt")
          .program;
  std::string text = printProgram(program);
  EXPECT_NE(text.find("load source=i8 ddr[0x1000] <8*64, 8> destination=i8 ocm[0x8]"), text.npos) << text;
  EXPECT_NE(text.find("wait engine=sequencer semaphore=3 value=8"), text.npos) << text;
}

TEST(ProgramText, TensorsAndTheirDefaults) {
  Program program = assembled(R"(
.tiles 2
.input "x" float32 [1, 4, 8] stored=i8 scale=0.5 zero_point=-3 ddr[0x1000]
.tensor "h" float16 [4, 8] layer=1 stage=2
    ocm 0[0x40] extent=[2, 8]
    ocm 1[0x40] begin=[2, 0] ready_at=7
.output "y" int64 [] stored=i32 ddr[0x2000]
.tensor "z" "odd type" [2] ddr[0] stride=[4])")
                        .program;
  const auto &x = program.metadata.tensors(0);
  EXPECT_EQ(x.role(), proto::INPUT);
  EXPECT_EQ(x.stored_type(), "i8");
  EXPECT_EQ(x.scale(), 0.5f);
  EXPECT_EQ(x.zero_point(), -3);
  ASSERT_EQ(x.pieces_size(), 1);
  EXPECT_EQ(x.pieces(0).address(), 0x1000u);
  EXPECT_EQ(std::vector(x.pieces(0).stride().begin(), x.pieces(0).stride().end()),
            (std::vector<uint64_t>{32, 8, 1}));
  const auto &h = program.metadata.tensors(1);
  EXPECT_EQ(h.stored_type(), "fp16");
  EXPECT_EQ(h.layer(), 1u);
  EXPECT_EQ(h.stage(), 2u);
  ASSERT_EQ(h.pieces_size(), 2);
  EXPECT_EQ(h.pieces(1).tile(), 1u);
  EXPECT_EQ(h.pieces(0).ready_at(), 0u);
  EXPECT_EQ(h.pieces(1).ready_at(), 7u);
  EXPECT_EQ(std::vector(h.pieces(1).extent().begin(), h.pieces(1).extent().end()),
            (std::vector<int64_t>{2, 8}));
  EXPECT_EQ(std::vector(h.pieces(1).stride().begin(), h.pieces(1).stride().end()),
            (std::vector<uint64_t>{16, 2}));
  EXPECT_EQ(program.metadata.tensors(2).pieces(0).begin_size(), 0);
  EXPECT_EQ(program.metadata.tensors(3).dtype(), "odd type");
  EXPECT_EQ(program.metadata.tensors(3).stored_type(), "");
  std::string text = printProgram(program);
  EXPECT_NE(text.find(R"(
.input "x" float32 [1, 4, 8] stored=i8 scale=0.5 zero_point=-3 ddr[0x1000]
.tensor "h" float16 [4, 8] layer=1 stage=2
    ocm 0[0x40] extent=[2, 8]
    ocm 1[0x40] begin=[2, 0] ready_at=7
.output "y" int64 [] stored=i32 ddr[0x2000]
.tensor "z" "odd type" [2] ddr[0x0] stride=[4]
)"),
            text.npos)
      << text;
}

TEST(ProgramText, HostWork) {
  Program program = assembled(R"(
.stage "on the host" inference
.host "Softmax" layer=4 inputs=["x" "" ] outputs=["y"]
    attributes={"mode"={text="a\"b\n"} "axis"={ints=[-1, -9223372036854775808] floats=[0.1 0x7fc00000]} "none"={}})")
                        .program;
  const auto &work = std::get<proto::HostWork>(program.stages[0].work);
  EXPECT_EQ(work.inputs_size(), 2);
  EXPECT_EQ(work.attributes().at("axis").ints(1), INT64_MIN);
  EXPECT_EQ(work.attributes().at("mode").text(), "a\"b\n");
  EXPECT_NE(printProgram(program).find(R"(
.stage "on the host" inference
.host "Softmax" layer=4
    inputs=["x", ""]
    outputs=["y"]
    attributes={
        "axis"={ints=[-1, -9223372036854775808] floats=[0.1, 0x7fc00000]}
        "mode"={text="a\"b\n"}
        "none"={}
    }
)"),
            std::string::npos)
      << printProgram(program);
}

TEST(ProgramText, ExpectationsAreKeptBesideTheProgram) {
  Assembly assembly = assembled(R"(
.input "x" float32 [2, 2] stored=i8 ddr[0]
.output "y" int64 [3] stored=i32 ddr[64]
.input "b" bool [2] stored=u8 ddr[128]
halt
.set "x" [0..2 0.5]
.expect "y" [-1, 9223372036854775807 0x10]
.set "b" [1 0]
.expect_problem race "tile 0"
.expect_problem deadlock
.expect_fault program_fault "uninitialised")");
  const ProgramTest &test = assembly.test;
  EXPECT_TRUE(identical(*test.inputs.find("x"), Tensor::of<float>({2, 2}, {0, 1, 2, 0.5f})));
  EXPECT_TRUE(identical(*test.inputs.find("b"), Tensor::of<bool>({2}, {true, false})));
  EXPECT_TRUE(identical(*test.outputs.find("y"), Tensor::of<int64_t>({3}, {-1, INT64_MAX, 16})));
  ASSERT_EQ(test.problems.size(), 2u);
  EXPECT_EQ(test.problems[0].kind, "race");
  EXPECT_EQ(test.problems[0].text, "tile 0");
  EXPECT_EQ(test.problems[0].line, 9u);
  EXPECT_EQ(test.problems[1].text, "");
  ASSERT_TRUE(test.fault);
  EXPECT_EQ(test.fault->kind, "program_fault");
  EXPECT_EQ(test.fault->text, "uninitialised");
  // A printed program lacks the directives that are for tests only, such as .set.
  EXPECT_EQ(printProgram(assembly.program).find("set"), std::string::npos);
}

TEST(ProgramText, ParsesTheExamplesOfTheGrammar) {
  size_t examples = 0, at = 0;
  for (std::string_view fence = "```\n"; (at = trasmGrammar.find(fence, at)) != trasmGrammar.npos;) {
    at += fence.size();
    size_t end = trasmGrammar.find(fence, at);
    ASSERT_NE(end, trasmGrammar.npos);
    std::string_view block = trasmGrammar.substr(at, end - at);
    at = end + fence.size();
    if (block.find(" = ") != block.npos && block.find("::=") == block.npos && block.find("(*") != block.npos)
      continue; // a block of grammar rules is no example program
    auto parsed = parseProgram(block, "example");
    EXPECT_TRUE(parsed) << parsed.error().message();
    ++examples;
  }
  EXPECT_EQ(examples, 2u);
}

// Tests of program texts with one mistake each: the error states the line, the column and what was expected.

TEST(UnknownInstructions, AreReportedWithTheListOfInstructions) {
  std::vector<std::string_view> names;
  forEachInstructionType([&]<class T>() { names.push_back(T::mnemonic); });
  const std::string_view last = names.back();
  names.pop_back();
  auto parsed = parseProgram("halt\n  foo", "x");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().message(),
            fmt::format("x:2:3: there is no instruction with the mnemonic 'foo'; expected {} or {}",
                        fmt::join(names, ", "), last));
}

struct Mistake {
  std::string_view text, message;
  friend void PrintTo(const Mistake &mistake, std::ostream *out) { *out << mistake.text; }
};

class ProgramMistakes : public testing::TestWithParam<Mistake> {};

TEST_P(ProgramMistakes, AreReportedWithTheirPlace) {
  auto parsed = parseProgram(GetParam().text, "x");
  ASSERT_FALSE(parsed) << printProgram(*parsed);
  EXPECT_EQ(parsed.error().message(), GetParam().message);
  EXPECT_EQ(parsed.error().kind, ErrorKind::invalidInput);
}

INSTANTIATE_TEST_SUITE_P(
    Statements, ProgramMistakes,
    testing::Values(
        Mistake{".stag \"a\" initial",
                "x:1:1: there is no directive with the name '.stag'; did you mean 'stage'?"},
        Mistake{". stage \"a\" initial", "x:1:1: found '.'; expected a directive, as in '.stage'"},
        Mistake{"halt .tile 1", "x:1:6: found '.'; expected an operand or the end of the line"},
        Mistake{".tiles 2 .tile 1", "x:1:10: found '.'; expected the end of the line"},
        Mistake{"halt\n)", "x:2:1: found ')'; expected an instruction"},
        Mistake{"halt\n\xff", "x:2:1: the text is not UTF-8"},
        Mistake{"; \xe4\xb8\xad\xe4\xb8", "x:1:4: the text is not UTF-8"},
        // Program texts with mistakes in tiles and stages.
        Mistake{".tiles 0", "x:1:8: '0' is out of range; expected number of tiles: 1..256"},
        Mistake{".tiles 257", "x:1:8: '257' is out of range; expected number of tiles: 1..256"},
        Mistake{".tiles 1\n.tiles 1", "x:2:1: the number of tiles is given already at line 1"},
        Mistake{".tile 256", "x:1:7: '256' is out of range; expected tile: 0..255"},
        Mistake{".tiles 2\n.tile 2", "x:2:7: '2' is out of range; expected tile: 0..1"},
        Mistake{".tile 2\n.tiles 2",
                "x:1:1: the program has 2 tiles, but there is code for tile 2; raise the number in .tiles"},
        Mistake{"halt\n.tile 1\n.tile 0", "x:3:1: tile 0 of this stage is given already at line 1"},
        Mistake{".stage a initial", "x:1:8: found 'a'; expected the stage's name in double quotes"},
        Mistake{".stage \"a\" first",
                "x:1:12: phase cannot be 'first'; expected initial, inference or finishing"},
        Mistake{".stage \"a\"",
                "x:1:11: the text ends here; expected phase: initial, inference or finishing"},
        Mistake{".host \"K\"\nhalt", "x:2:1: the stage 'main' runs on the host; begin another .stage for "
                                     "instructions of tiles"},
        Mistake{
            "halt\n.host \"K\"",
            "x:2:1: the stage 'main' already has a host operator or tiles; begin another .stage for this host "
            "operator"},
        Mistake{".host \"K\" layer=1 layer=1", "x:1:19: the option 'layer' is given twice"},
        Mistake{".host \"K\" input=[]", "x:1:11: the option cannot be 'input'; did you mean 'inputs'?"},
        Mistake{".host \"K\" inputs=[x]", "x:1:19: found 'x'; expected names of tensors in double quotes"},
        Mistake{".host \"K\" attributes={\"a\"={ints=[1]} \"a\"={}}",
                "x:1:38: the attribute 'a' is given twice"},
        Mistake{".host \"K\" attributes={\"a\"={int=[1]}}",
                "x:1:28: the option cannot be 'int'; did you mean 'ints'?"}));

INSTANTIATE_TEST_SUITE_P(
    Data, ProgramMistakes,
    testing::Values(
        Mistake{".define x 3", "x:1:11: found '3'; expected '=' after the name"},
        Mistake{".define x=3\n.define x=4", "x:2:9: the name 'x' is already defined; its value is 3"},
        Mistake{".define 3=x", "x:1:9: found '3'; expected a name"},
        Mistake{"load source=i8 ddr[weights]\n.constant weights=0 i8 []",
                "x:1:20: the name 'weights' is not defined; expected address: 0..1099511627775, "
                "or the name of an earlier .define or .constant"},
        Mistake{".constant 0 i16 [1]",
                "x:1:13: type (or hex) cannot be 'i16'; expected i8, u8, i9, i32, fp16, bf16 or fp32"},
        Mistake{".constant -1 i8 [1]",
                "x:1:11: '-1' is out of range; expected address: 0..9223372036854775807"},
        Mistake{".constant a=-1 i8 [1]", "x:1:11: the address -1 is negative"},
        Mistake{".constant 0 i8 1", "x:1:16: found '1'; expected '[' and values"},
        Mistake{".constant 0 i8 [128]", "x:1:17: '128' is out of range; expected value: -128..127"},
        Mistake{".constant 0 i9 [1, -257]", "x:1:20: '-257' is out of range; expected value: -256..255"},
        Mistake{".constant 0 u8 [1.5]", "x:1:17: '1.5' is not an integer; expected value: 0..255"},
        Mistake{".constant 0 u8 [1", "x:1:18: the text ends here; expected value: 0..255"},
        Mistake{".constant 0 u8 [5..3]", "x:1:17: the range is descending; expected the lower number first"},
        Mistake{".constant 0 u8 [1..256]", "x:1:20: '256' is out of range; expected value: 0..255"},
        Mistake{".constant 0 u8 [1*0]",
                "x:1:19: '0' is out of range; expected count: 1..9223372036854775807"},
        Mistake{
            ".constant 0 fp16 [65520]",
            "x:1:19: '65520' is out of the range of the type; write inf or 0 if infinity or zero is meant"},
        Mistake{".constant 0 fp16 [0x10000]", "x:1:19: '0x10000' is out of the range of the type"},
        Mistake{".constant 0 fp32 [nan]",
                "x:1:19: 'nan' is not a number; expected a value: decimal, inf, or its bits in hexadecimal"},
        Mistake{".constant 0 fp32 [1,,2]", "x:1:21: found ','; expected a value"},
        Mistake{".constant 0 u8 [0*99999999999]",
                "x:1:17: this expands to more data than the remaining limit of 4294967296 bytes"},
        Mistake{".constant 0 u8 [(1 2)]", "x:1:22: found ']'; expected '*' and a count after ')'"},
        Mistake{".constant 0 u8 [(1 2]", "x:1:21: found ']'; expected value: 0..255"},
        Mistake{".constant 0 u8 [1 2)*3]", "x:1:20: found ')'; expected value: 0..255"},
        Mistake{".constant 0 u8 [((((((((((((((((( 1",
                "x:1:33: parentheses are nested too deeply; at most 16 levels are allowed"},
        Mistake{".constant 0 u8 [((1*65536)*65536)*65536]",
                "x:1:18: this expands to more data than the remaining limit of 4294901760 bytes"},
        Mistake{".constant 0 i32 [0*9223372036854775807]",
                "x:1:18: this expands to more data than the remaining limit of 4294967296 bytes"},
        Mistake{".constant 0 hex [0]",
                "x:1:18: found '0'; expected two hexadecimal digits (0-9, a-f) for each byte, or ']'"},
        Mistake{".constant 0 hex [00 *3]",
                "x:1:21: found '*' without a byte before it; write '*' directly after the byte or word "
                "that it repeats"},
        Mistake{
            ".constant 0 hex [00",
            "x:1:20: the text ends here; expected two hexadecimal digits (0-9, a-f) for each byte, or ']'"},
        Mistake{".constant 0 i8 [1, 2]\n.constant 1 i8 [3]",
                "x:2:11: the constant overlaps another constant, given already at line 1; the other constant "
                "ends at "
                "address 2"}));

INSTANTIATE_TEST_SUITE_P(
    Tensors, ProgramMistakes,
    testing::Values(
        Mistake{".input x", "x:1:8: found 'x'; expected the tensor's name in double quotes"},
        Mistake{".input \"x\" [1]", "x:1:12: found '['; expected the tensor's type, as in float32"},
        Mistake{".input \"x\" float32 1", "x:1:20: found '1'; expected '[' and integers"},
        Mistake{".input \"x\" float32 [1] store=i8",
                "x:1:24: the option cannot be 'store'; did you mean 'stored'?"},
        Mistake{".input \"x\" float32 [1] layer=1 layer=1", "x:1:32: the option 'layer' is given twice"},
        Mistake{".input \"x\" float32 [1]\n.output \"x\" float32 [1]",
                "x:2:9: there is already a tensor 'x'"},
        Mistake{".input \"x\" float32 [1] ddr[0] ends=[1]",
                "x:1:31: the option cannot be 'ends'; expected begin, extent, stride or ready_at"},
        Mistake{".input \"x\" float32 [1] ddr[0] begin=[0] begin=[0]",
                "x:1:41: the option 'begin' is given twice"},
        Mistake{".input \"x\" float32 [1] ddr[0] begin=[0, 0]",
                "x:1:24: begin has 2 dimensions, but the tensor has 1"},
        Mistake{".input \"x\" float32 [4294967296, 4294967296] ddr[0]",
                "x:1:45: the strides of this piece do not fit into 64 bits; give the extent or "
                "stride of the piece"},
        Mistake{".input \"x\" float32 [1] dram[0]", "x:1:24: found 'dram'; expected the end of the line"},
        Mistake{".set \"x\" [1]", "x:1:6: 'x' is not a declared input; declare it earlier with .input"},
        Mistake{".input \"x\" float32 [2]\n.expect \"x\" [1 2]",
                "x:2:9: 'x' is not a declared output; declare it earlier with .output"},
        Mistake{".input \"x\" float32 [2, 3]\n.set \"x\" [1*5]",
                "x:2:6: 'x' has shape [2, 3], but 5 values are given"},
        Mistake{".input \"x\" float32 [1]\n.set \"x\" [1]\n.set \"x\" [2]",
                "x:3:6: the values of 'x' are already given"},
        Mistake{".input \"x\" complex64 [1]\n.set \"x\" [1]",
                "x:2:6: values of type 'complex64' cannot be written in assembly text"},
        Mistake{".expect_fault", "x:1:14: the text ends here; expected a category of faults"},
        Mistake{".expect_fault a\n.expect_fault b",
                "x:2:1: a test can expect only one fault, and one is already given at line 1"},
        Mistake{".expect_problem \"a\"", "x:1:17: found '\"'; expected a kind of problem"}));

INSTANTIATE_TEST_SUITE_P(
    Blocks, ProgramMistakes,
    testing::Values(
        Mistake{".machine large", "x:1:10: the machine cannot be 'large'; expected tr64, tr16 or tiny"},
        Mistake{".machine tiny\n.machine tiny", "x:2:1: the machine is given already at line 1"},
        Mistake{".machine {\"a\": {}",
                "x:1:10: the block of a machine description is not closed; expected '}'"},
        Mistake{".metadata", "x:1:10: the text ends here; expected '{' and metadata"},
        Mistake{".metadata { producer: \"a", "x:1:23: the string is not closed on its line"},
        Mistake{".metadata {\n\n  producr: \"a\" }", "x:3:10: Message type \"tilerig.proto.Metadata\" has "
                                                     "no field named \"producr\".; expected metadata as "
                                                     "protobuf text"},
        Mistake{".metadata {\n\tproducer: 3 }",
                "x:2:12: Expected string, got: 3; expected metadata as protobuf text"},
        Mistake{
            ".metadata { tiles: 3 }",
            "x:1:11: stages, constants, tensors, machine, tiles, proof and run plan cannot be given in .metadata; "
            "declare tensors, constants and stages by their own directives, such as .tensor"},
        Mistake{".metadata {}\n.metadata {}", "x:2:1: the metadata is given already at line 1"},
        Mistake{".proof {}\n.proof {}", "x:2:1: the proof is given already at line 1"},
        Mistake{".stage \"a", "x:1:8: the string is not closed on its line; expected '\"'"},
        Mistake{".stage \"a\n\"", "x:1:8: the string is not closed on its line; expected '\"'"},
        Mistake{".stage \"\\q\" initial",
                "x:1:9: unknown escape in a string; expected \\n, \\r, \\t, \\\", \\\\ or \\xHH"},
        Mistake{".stage \"\\x1\" initial",
                "x:1:9: unknown escape in a string; expected \\n, \\r, \\t, \\\", \\\\ or \\xHH"}));

TEST(ProgramText, HostileTextsAreRefusedQuickly) {
  auto refused = [](const std::string &text, const ParseLimits &limits = {}) {
    auto parsed = parseAssembly(text, "x", limits);
    EXPECT_FALSE(parsed);
    return parsed ? std::string() : parsed.error().message();
  };
  const size_t ten = 10'000'000;
  EXPECT_LT(refused(std::string(ten, 'a')).size(), 1000u);
  EXPECT_LT(refused("halt layer=" + std::string(ten, '9')).size(), 1000u);
  EXPECT_LT(refused(".stage \"" + std::string(ten, 'x')).size(), 1000u);
  EXPECT_LT(refused(".metadata " + std::string(ten, '{')).size(), 1000u);
  std::string nested = ".metadata {";
  for (int i = 0; i < 100'000; ++i)
    nested += "layers {";
  EXPECT_LT(refused(nested + std::string(100'001, '}')).size(), 1000u);
  EXPECT_LT(refused("load source=i8 ddr[" + std::string(ten, '(')).size(), 1000u);
  EXPECT_LT(refused(std::string(ten, '\0')).size(), 1000u);
  std::string sum = "load source=i8 ddr[0";
  for (int i = 0; i < 1'000'000; ++i)
    sum += "+1";
  EXPECT_TRUE(parseProgram(sum + "]", "x"));
  EXPECT_LT(refused(sum).size(), 1000u);
  // A very long line in a program text is legal.
  EXPECT_TRUE(parseProgram("halt" + std::string(ten, ' '), "x"));
  EXPECT_TRUE(parseProgram("halt ;" + std::string(ten, '='), "x"));
}

// Short texts that expand to much data are refused instead of exhausting memory.
TEST(ProgramText, ExpandedSizeIsBounded) {
  ParseLimits limits{.unfoldedBytes = 1 << 20};
  for (const char *text : {".constant 0 u8 [0*1000000 1*1000000]", ".constant 0 i32 [0*262145]",
                           ".constant 0 fp32 [0..262145]", ".constant 0 hex [00112233*262145]"}) {
    auto parsed = parseAssembly(text, "x", limits);
    ASSERT_FALSE(parsed) << text;
    EXPECT_NE(parsed.error().message().find("expands to more data"), std::string::npos)
        << parsed.error().message();
  }
  EXPECT_TRUE(parseAssembly(".constant 0 u8 [0*1000000]", "x", limits));
  // Each tile without instructions still holds a halt in each stage; these count towards the limit on the
  // data of a text as well.
  std::string stages = ".tiles 256\n";
  for (int i = 0; i < 100; ++i)
    stages += ".stage \"\" initial\n";
  EXPECT_FALSE(parseAssembly(stages, "x", limits));
  EXPECT_TRUE(parseAssembly(stages, "x"));
}

} // namespace
} // namespace tilerig
