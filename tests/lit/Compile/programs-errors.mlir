// RUN: split-file %s %t

// RUN: not tilerig-compile %t/unproved.mlir --from isa -o %t.trb 2>&1 | FileCheck %s --check-prefix=PROOF
// PROOF: unproved.mlir: the analyser cannot prove the program free of races, deadlocks and uninitialised reads: {{.*}}; correct the program, or use --allow-unproved
// RUN: tilerig-compile %t/unproved.mlir --from isa -o %t.trb --allow-unproved
// RUN: tilerig-compile %t/unproved.mlir --from isa --emit asm -o %t.trasm --allow-unproved
// RUN: FileCheck %s --check-prefix=MARKED < %t.trasm
// MARKED: allow_unproved: true
// MARKED-NOT: .proof

// RUN: not tilerig-compile %t/unordered.mlir --from tile -o %t.trb 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: unordered.mlir: the analyser cannot prove the program free of races, deadlocks and uninitialised reads: {{.*}}race{{.*}}; correct the program, or use --allow-unproved

// RUN: not tilerig-compile %t/unproved.mlir --from tile -o %t.trb 2>&1 | FileCheck %s --check-prefix=LEVEL
// LEVEL: unproved.mlir: operation 'isa.tile' does not belong to level tile; check that --from names the level of the text

// RUN: not tilerig-compile %t/graph.mlir --from isa -o %t.trb 2>&1 | FileCheck %s --check-prefix=MODULE
// MODULE: graph.mlir: the module does not consist of exactly one isa.program; check that --from names the level of the text

// RUN: not tilerig-compile %t/illegal.mlir --from isa -o %t.trb 2>&1 | FileCheck %s --check-prefix=NODE
// NODE: illegal.mlir: node 'conv1': 'isa.load' op is instruction 0 of tile 0: load:

// RUN: not tilerig-compile %t/field.mlir --from isa -o %t.trb 2>&1 | FileCheck %s --check-prefix=FIELD
// FIELD: field.mlir: layer 'conv': colour: the message Layer has no field of this name
// RUN: not tilerig-compile %t/kind.mlir --from isa -o %t.trb 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: kind.mlir: layer 'conv': {{.*}}macs: expected a 64-bit integer

// RUN: not tilerig-compile %t/own.mlir --from isa -o %t.trb 2>&1 | FileCheck %s --check-prefix=OWN
// OWN: own.mlir: about: field 'proof' must be absent, because it is computed from the program's operations; leave it out

// RUN: not tilerig-compile %t/unproved.mlir --from isa --emit layer -o %t.out 2>&1 | FileCheck %s --check-prefix=BACK
// RUN: not tilerig-compile %t/unproved.mlir --from isa --emit tile -o %t.out 2>&1 | FileCheck %s --check-prefix=BACK
// BACK: the text of a program cannot be converted back to a graph, layers, tasks, ONNX or a C++ program; use --emit isa, --emit asm or --emit program
// RUN: not tilerig-compile %t/unproved.mlir --from isa -o %t.trb --machine tr64 2>&1 | FileCheck %s --check-prefix=OPTION -DNAME=--machine
// RUN: not tilerig-compile %t/unproved.mlir --from isa -o %t.trb --tiles 1 2>&1 | FileCheck %s --check-prefix=OPTION -DNAME=--tiles
// RUN: not tilerig-compile %t/unproved.mlir --from isa -o %t.trb --precision fp16 2>&1 | FileCheck %s --check-prefix=OPTION -DNAME=--precision
// OPTION: [[NAME]]: this option has no effect on the text of a program: its value was fixed when the text was written; use this option when compiling the ONNX model
// RUN: not tilerig-compile %t/graph.mlir --from graph -o %t.trb --allow-unproved 2>&1 | FileCheck %s --check-prefix=ALLOW
// ALLOW: --allow-unproved: this option has no effect, because a program that is compiled from a model is always proved

//--- unproved.mlir
isa.program "p" on "tiny" tiles 1 {
  isa.stage "main" inference {
    isa.tile 0 {
      isa.copy input=i8 ocm[0] <4> output=i8 ocm[64] <4>
      isa.halt
    }
  }
}
//--- unordered.mlir
isa.program "p" on "tiny" tiles 1 {
  %x = tile.buffer "x" ddr[0x0] 32 bytes
  %a = tile.buffer "a" ocm[0x0] 32 bytes
  isa.tensor "x" {dtype = "float16", shape = [16], stored_type = "fp16", role = "INPUT",
                  pieces = [{ddr = true, extent = [16], begin = [0], stride = [2]}]}
  isa.stage "main" inference {
    tile.sequence {
      %t = tile.load on 0 reads(%x) writes(%a) {
        isa.load source=fp16 ddr[0] <16> destination=fp16 ocm[0] <16>
      }
      tile.store on 0 reads(%a) writes(%x) {
        isa.store source=fp16 ocm[0] <16> destination=fp16 ddr[0] <16>
      }
    }
  }
}
//--- illegal.mlir
isa.program "p" on "tiny" tiles 1 {
  isa.stage "main" inference {
    isa.tile 0 {
      isa.load source=fp16 ddr[0] <4*3> destination=fp16 ocm[0] <4> loc("conv1")
      isa.halt
    }
  }
}
//--- own.mlir
isa.program "p" on "tiny" tiles 1 about {proof = {content_hash = 3}} {
  isa.stage "main" inference {
    isa.tile 0 {
      isa.halt
    }
  }
}
//--- field.mlir
isa.program "p" on "tiny" tiles 1 {
  isa.layer 0 "conv" {colour = "red"}
  isa.stage "main" inference {
    isa.tile 0 {
      isa.halt
    }
  }
}
//--- kind.mlir
isa.program "p" on "tiny" tiles 1 {
  isa.layer 0 "conv" {macs = "many"}
  isa.stage "main" inference {
    isa.tile 0 {
      isa.halt
    }
  }
}
//--- graph.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = graph.relu %x : tensor<2xf32>
  return %y : tensor<2xf32>
}
