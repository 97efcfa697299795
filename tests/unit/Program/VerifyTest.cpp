// Tests of the rules of programs: each rule is broken alone in an otherwise legal program.
#include "isa/Program/Verify.h"
#include "isa/Program/Reader.h"
#include "isa/Program/Writer.h"
#include "tests/support/Programs/SampleProgram.h"

#include <functional>
#include <gtest/gtest.h>
#include <limits>

namespace tilerig::test {
namespace {

// A legal program with a device stage, a host stage and a second device stage on two tiles, two constants,
// two layers, two tensors, a debug range and a document.
Program legalProgram() {
  Program program = smallestProgram(*loadMachine("tiny"));
  program.constants.push_back(constantOf(1024, {std::byte{4}}));
  proto::HostWork work;
  work.set_kernel("TopK");
  work.set_layer(1);
  work.add_inputs("input");
  work.add_inputs("");
  work.add_outputs("output");
  program.stages.push_back({"top", Phase::inference, work});
  program.stages.push_back({"end", Phase::finishing, DeviceStage{{{Halt()}, {Halt()}}}});
  proto::Layer &layer = *program.metadata.add_layers();
  layer.set_id(1);
  layer.set_where("host");
  proto::Tensor &output = *program.metadata.add_tensors();
  output = program.metadata.tensors(0);
  output.set_name("output");
  output.set_role(proto::OUTPUT);
  output.set_stage(1);
  output.set_stored_type("i8");
  output.set_scale(0.5);
  output.set_zero_point(-3);
  proto::DebugRange &range = *program.metadata.add_debug();
  range.set_layer(1);
  range.set_end(2);
  program.metadata.add_documents()->set_name("strategy");
  return program;
}

using Change = std::function<void(Program &)>;
struct Case {
  const char *says;
  Change change;
};

proto::Tensor &tensor(Program &program) { return *program.metadata.mutable_tensors(0); }
proto::Piece &piece(Program &program) { return *tensor(program).mutable_pieces(0); }
DeviceStage &device(Program &program) { return std::get<DeviceStage>(program.stages[0].work); }
proto::HostWork &host(Program &program) { return std::get<proto::HostWork>(program.stages[1].work); }

void expectRefused(const std::vector<Case> &cases) {
  for (const Case &one : cases) {
    Program program = legalProgram();
    one.change(program);
    auto status = verifyProgram(program);
    ASSERT_FALSE(status) << "accepted, and should say: " << one.says;
    EXPECT_NE(status.error().message().find(one.says), std::string::npos)
        << "says: " << status.error().message() << "\nand should: " << one.says;
    EXPECT_EQ(status.error().kind, ErrorKind::invalidInput);
    auto written = serialiseProgram(program);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().message(), status.error().message());
  }
}

TEST(VerifyProgram, AcceptsALegalOne) {
  auto status = verifyProgram(legalProgram());
  EXPECT_TRUE(status) << status.error().message();
}

TEST(VerifyProgram, RefusesTilesAndStages) {
  expectRefused({
      {"machine", [](Program &p) { p.machine.clockMegahertz = 0; }},
      {"tiles: the program uses 0 tiles, but the machine 'tiny' allows 1..4",
       [](Program &p) { p.tiles = 0; }},
      {"tiles: the program uses 5 tiles", [](Program &p) { p.tiles = 5; }},
      {"stages[0], name: is empty", [](Program &p) { p.stages[0].name = ""; }},
      {"stages[2], name: 'main' is already used", [](Program &p) { p.stages[2].name = "main"; }},
      {"stage 'end', phase: the stage follows a stage of a later phase",
       [](Program &p) { p.stages[2].phase = Phase::initial; }},
      {"stage 'top', phase: there is no phase 9",
       [](Program &p) { p.stages[1].phase = static_cast<Phase>(9); }},
      {"stage 'main': the stage has instructions for 1 tiles, but the program uses 2",
       [](Program &p) { device(p).tiles.pop_back(); }},
      {"stage 'main': the stage has instructions for 3 tiles",
       [](Program &p) { device(p).tiles.push_back({Halt()}); }},
  });
}

TEST(VerifyProgram, RefusesInstructions) {
  expectRefused({
      {"stage 'main', tile 1: has no instructions", [](Program &p) { device(p).tiles[1].clear(); }},
      {"stage 'main', tile 0, instruction 0: the last instruction is not halt",
       [](Program &p) { device(p).tiles[0].pop_back(); }},
      {"stage 'main', tile 0, instruction 1: halt is not the last instruction",
       [](Program &p) { device(p).tiles[0].push_back(Halt()); }},
      {"stage 'main', tile 1, instruction 0, layer: there is no layer 2: the program has 2 layers",
       [](Program &p) { device(p).tiles[1] = {Halt{2}}; }},
      {"stage 'main', tile 0, instruction 0, sync: ",
       [](Program &p) {
         device(p).tiles[0][0] = Sync{0, Engine::pod, Engine::pod, 0};
       }},
      {"stage 'main', tile 0, instruction 0, load: ", [](Program &p) { device(p).tiles[0][0] = Load(); }},
  });
  Program unnamed = smallestProgram(*loadMachine("tiny"));
  unnamed.metadata.clear_layers();
  EXPECT_TRUE(verifyProgram(unnamed)); // instructions may belong to a layer 0 that the metadata do not list
}

TEST(VerifyProgram, RefusesHostWork) {
  expectRefused({
      {"stage 'top', kernel: is empty", [](Program &p) { host(p).clear_kernel(); }},
      {"stage 'top', layer: there is no layer 2", [](Program &p) { host(p).set_layer(2); }},
      {"stage 'top', inputs[1]: the program has no tensor 'x'",
       [](Program &p) { host(p).set_inputs(1, "x"); }},
      {"stage 'top', outputs[0]: the program has no tensor ''",
       [](Program &p) { host(p).set_outputs(0, ""); }},
      {"stage 'top', inputs[0]: the tensor 'input' lies in the memory of a tile",
       [](Program &p) {
         tensor(p).set_role(proto::INTERMEDIATE);
         piece(p).set_ddr(false);
       }},
      {"stage 'top', inputs: TopK needs its first 1 inputs", [](Program &p) { host(p).clear_inputs(); }},
      {"stage 'top', inputs: there are 3 inputs, but TopK takes at most 2",
       [](Program &p) { host(p).add_inputs("input"); }},
      {"stage 'top', outputs: TopK needs its first output", [](Program &p) { host(p).clear_outputs(); }},
      {"stage 'top', inputs[1]: the tensor has type float32, but TopK needs int64 here",
       [](Program &p) { host(p).set_inputs(1, "input"); }},
  });
}

TEST(VerifyProgram, RefusesConstants) {
  expectRefused({
      {"constants[1]: is empty", [](Program &p) { p.constants[1].bytes = {}; }},
      {"constants[1]: the constant begins at address 130, but the constant before it ends at 131",
       [](Program &p) { p.constants[1].address = 130; }},
      {"constants[1]: the constant begins at address 0", [](Program &p) { p.constants[1].address = 0; }},
      {"past the end of DDR", [](Program &p) { p.constants[1].address = p.machine.ddr.sizeBytes; }},
      {"past the end of DDR", [](Program &p) { p.constants[1].address = UINT64_MAX; }},
  });
  Program touching = legalProgram();
  touching.constants[1].address = 131;
  EXPECT_TRUE(verifyProgram(touching));
  touching.constants[1].address = touching.machine.ddr.sizeBytes - 1;
  EXPECT_TRUE(verifyProgram(touching));
}

TEST(VerifyProgram, RefusesTensors) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  expectRefused({
      {"tensors[0], name: is empty", [](Program &p) { tensor(p).clear_name(); }},
      {"tensors[1], name: 'input' is already used",
       [](Program &p) { p.metadata.mutable_tensors(1)->set_name("input"); }},
      {"tensor 'input', dtype: there is no type 'fp16'", [](Program &p) { tensor(p).set_dtype("fp16"); }},
      {"tensor 'input', stored_type: there is no element type 'float16'",
       [](Program &p) { tensor(p).set_stored_type("float16"); }},
      {"tensor 'input', stored_type: is raw, but the tensor lies in the memory of a tile",
       [](Program &p) {
         tensor(p).set_stored_type("raw");
         tensor(p).set_role(proto::INTERMEDIATE);
         tensor(p).mutable_pieces(0)->set_ddr(false);
       }},
      {"tensor 'input': the tensor has scale 0.5 and zero point 0, but is not quantised",
       [](Program &p) {
         tensor(p).set_stored_type("raw");
         tensor(p).set_scale(0.5);
         tensor(p).set_zero_point(0);
       }},
      {"tensor 'input', shape", [](Program &p) { tensor(p).set_shape(0, -1); }},
      {"tensor 'input', shape", [](Program &p) { tensor(p).set_shape(0, INT64_MAX); }},
      {"tensor 'input', role: there is no role 5",
       [](Program &p) { tensor(p).set_role(proto::TensorRole(5)); }},
      {"tensor 'input': the tensor is an input or output, but has no pieces in memory",
       [](Program &p) { tensor(p).clear_pieces(); }},
      {"tensor 'input': the tensor is an input or output, but lies in the memory of a tile",
       [](Program &p) { piece(p).set_ddr(false); }},
      {"tensor 'input', layer: there is no layer 2", [](Program &p) { tensor(p).set_layer(2); }},
      {"tensor 'input', stage: there is no stage 3: the program has 3 stages",
       [](Program &p) { tensor(p).set_stage(3); }},
      {"tensor 'input': the tensor has scale 1 and zero point 0, but is not quantised",
       [](Program &p) { tensor(p).set_scale(1); }},
      {"tensor 'input': the tensor has scale 0 and zero point 1",
       [](Program &p) { tensor(p).set_zero_point(1); }},
      {"tensor 'input': the tensor has scale -0", [](Program &p) { tensor(p).set_scale(-0.0f); }},
      {"tensor 'output': the scale -1 is not a positive number",
       [](Program &p) { p.metadata.mutable_tensors(1)->set_scale(-1); }},
      {"tensor 'output': the scale inf",
       [](Program &p) { p.metadata.mutable_tensors(1)->set_scale(infinity); }},
      {"tensor 'output': the scale nan",
       [](Program &p) { p.metadata.mutable_tensors(1)->set_scale(std::numeric_limits<float>::quiet_NaN()); }},
      {"tensor 'output': the zero point -129 is outside -128..127",
       [](Program &p) { p.metadata.mutable_tensors(1)->set_zero_point(-129); }},
      {"tensor 'input', sizes: the tensor is not an output",
       [](Program &p) { tensor(p).set_sizes("output"); }},
      {"tensor 'output', sizes: the program has no output 'shape'",
       [](Program &p) { p.metadata.mutable_tensors(1)->set_sizes("shape"); }},
      {"tensor 'output', sizes: the program has no output 'input'",
       [](Program &p) { p.metadata.mutable_tensors(1)->set_sizes("input"); }},
      {"tensor 'output', sizes: output 'output' is not a list of",
       [](Program &p) { p.metadata.mutable_tensors(1)->set_sizes("output"); }},
  });
}

TEST(VerifyProgram, RefusesPieces) {
  auto inTile = [](Program &p) {
    tensor(p).set_role(proto::INTERMEDIATE);
    host(p).set_inputs(0, "output");
    piece(p).set_ddr(false);
  };
  expectRefused({
      {"tensor 'input', pieces[0], tile: the piece lies in DDR, but states tile 1",
       [](Program &p) { piece(p).set_tile(1); }},
      {"pieces[0], tile: there is no tile 2: the program uses 2 tiles",
       [&](Program &p) { inTile(p), piece(p).set_tile(2); }},
      {"begin, extent and stride have 1, 2 and 2 dimensions, but the tensor has 2",
       [](Program &p) { piece(p).mutable_begin()->RemoveLast(); }},
      {"have 2, 3 and 2 dimensions", [](Program &p) { piece(p).add_extent(1); }},
      {"pieces[0]: extent 3 from begin 1 is not inside dimension 1 of size 3",
       [](Program &p) { piece(p).set_begin(1, 1); }},
      {"pieces[0]: extent 3 from begin -1 is not inside", [](Program &p) { piece(p).set_begin(1, -1); }},
      {"pieces[0]: extent 0 from begin 0 is not inside", [](Program &p) { piece(p).set_extent(1, 0); }},
      {"is not inside", [](Program &p) { piece(p).set_begin(1, INT64_MAX); }},
      {"is not inside", [](Program &p) { piece(p).set_extent(1, INT64_MAX); }},
      {"is not inside", [](Program &p) { piece(p).set_extent(1, INT64_MIN); }},
      {"not a multiple of the 2 bytes of an element", [](Program &p) { piece(p).set_address(4097); }},
      {"not a multiple of the 2 bytes of an element", [](Program &p) { piece(p).set_stride(0, 7); }},
      {"stride: makes elements overlap", [](Program &p) { piece(p).set_stride(0, 4); }},
      {"stride: makes elements overlap", [](Program &p) { piece(p).set_stride(1, 0); }},
      {"ready_at: this field states instruction 1, but the piece is not of an intermediate tensor",
       [](Program &p) { piece(p).set_ready_at(1); }},
      {"ready_at: there is no instruction 4000000000: tile 0 has",
       [&](Program &p) { inTile(p), piece(p).set_ready_at(4000000000); }},
      {"past the end of DDR", [](Program &p) { piece(p).set_address(p.machine.ddr.sizeBytes - 10); }},
      {"past the end of DDR", [](Program &p) { piece(p).set_address(UINT64_MAX - 1); }},
      {"past the end of DDR", [](Program &p) { piece(p).set_stride(0, UINT64_MAX - 1); }},
      {"past the end of the tile's memory (65536 bytes)",
       [&](Program &p) { inTile(p), piece(p).set_address(65536 - 10); }},
  });
  Program fits = legalProgram();
  piece(fits).set_address(fits.machine.ddr.sizeBytes - 12);
  EXPECT_TRUE(verifyProgram(fits));
  inTile(fits);
  piece(fits).set_address(65536 - 12);
  EXPECT_TRUE(verifyProgram(fits));
}

TEST(VerifyProgram, RefusesWhatExplainsTheProgram) {
  expectRefused({
      {"layers[1], id: is 7", [](Program &p) { p.metadata.mutable_layers(1)->set_id(7); }},
      {"layers[1], where: is 'gpu'", [](Program &p) { p.metadata.mutable_layers(1)->set_where("gpu"); }},
      {"debug[0], stage: 1 is not the number of a device stage",
       [](Program &p) { p.metadata.mutable_debug(0)->set_stage(1); }},
      {"debug[0], stage: 9 is not the number of a device stage",
       [](Program &p) { p.metadata.mutable_debug(0)->set_stage(9); }},
      {"debug[0], tile: tile 2 is not used", [](Program &p) { p.metadata.mutable_debug(0)->set_tile(2); }},
      {"debug[0]: the range 0..3 is empty or outside the 2 instructions",
       [](Program &p) { p.metadata.mutable_debug(0)->set_end(3); }},
      {"debug[0]: the range 2..2 is empty or outside the 2 instructions",
       [](Program &p) { p.metadata.mutable_debug(0)->set_begin(2); }},
      {"debug[0], layer: there is no layer 2", [](Program &p) { p.metadata.mutable_debug(0)->set_layer(2); }},
      {"documents[1], name: 'strategy' is already used",
       [](Program &p) { *p.metadata.add_documents() = p.metadata.documents(0); }},
      {"documents[0], name: is empty", [](Program &p) { p.metadata.mutable_documents(0)->clear_name(); }},
  });
}

TEST(WriteProgram, RefusesTextThatIsNotUtf8) {
  testing::internal::CaptureStderr();
  Program program = legalProgram();
  program.metadata.set_model("\xff");
  auto written = serialiseProgram(program);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message(),
            "metadata, model: is not UTF-8; all names and texts of a program must be UTF-8");
  program = legalProgram();
  tensor(program).set_name("\xc0\x80");
  host(program).set_inputs(0, "");
  EXPECT_FALSE(serialiseProgram(program));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), ""); // serialising an invalid program prints nothing
}

} // namespace
} // namespace tilerig::test
