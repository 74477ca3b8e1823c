// A placement can be kept in a file, by the names of ops, and be followed again:
// as it is where it answers the same question, and else from there.
// RUN: rm -rf %t && split-file %s %t
// RUN: smp-opt %t/model.mlir --smp-partition=save-placement=%t/p.json -o %t/solved.mlir
// RUN: FileCheck %s --input-file=%t/p.json
// RUN: smp-opt %t/model.mlir --smp-partition=load-placement=%t/p.json 2>&1 | diff %t/solved.mlir -

// CHECK: "version": 2,
// CHECK-NEXT: "partitions": 2,
// CHECK-NEXT: "problem": "{{[0-9a-f]+}}",
// CHECK-NEXT: "placement": {
// CHECK-NEXT:   "predict": {
// CHECK-NEXT:     "a": 1,
// CHECK-NEXT:     "b": 1,
// CHECK-NEXT:     "c": 1
// CHECK-NEXT:   }
// CHECK-NEXT: },
// CHECK-NEXT: "decided": {

// Where it answers the question nothing is solved: a solver would move this op.
// RUN: sed 's/"b": 1/"b": 0/' %t/p.json > %t/moved.json
// RUN: smp-opt %t/model.mlir --smp-partition=load-placement=%t/moved.json | FileCheck %s --check-prefix=MOVED
// MOVED: smp.log {{.*}}#smp.placement<0, solver>

// A line that a person edited is a pin; the rest is solved, and written anew.
// RUN: sed -z 's/"b": 1/"b": 0/' %t/p.json > %t/edited.json
// RUN: smp-opt %t/model.mlir --smp-partition="load-placement=%t/edited.json save-placement=%t/again.json" | FileCheck %s --check-prefix=EDITED
// EDITED: smp.exp {{.*}}#smp.placement<1, user>
// EDITED: smp.log {{.*}}#smp.placement<0, user>
// EDITED: smp.sin {{.*}}#smp.placement<{{0|1}}, solver>
// RUN: FileCheck %s --input-file=%t/again.json --check-prefix=AGAIN
// AGAIN-COUNT-2: "b": 0

// Of another version of the model, what has a line is where it was, if nothing is
// better, and names that only one of the two has are listed.
// RUN: smp-opt -mlir-print-op-on-diagnostic=false %t/other.mlir --smp-partition=load-placement=%t/p.json 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: warning: placement file '{{.*}}p.json' has names that the model lacks: 'b', 'c'
// OTHER: warning: placement file '{{.*}}p.json' lacks names of the model, whose ops are placed without it: 'other'
// OTHER: smp.log {{.*}}solver>

// By hand all that has a line goes there, and the rest to the default partition.
// RUN: smp-opt -mlir-print-op-on-diagnostic=false %t/other.mlir --smp-partition="mode=manual load-placement=%t/manual.json" 2>&1 | FileCheck %s --check-prefix=MANUAL
// MANUAL: smp.exp {{.*}}#smp.placement<1, user>
// MANUAL: smp.log {{.*}}#smp.placement<1, user>

// What shares a variable with an op of an edited line goes there too.
// RUN: smp-opt %t/tied.mlir --smp-partition="mode=manual load-placement=%t/tied.json" --smp-verify-placement | FileCheck %s --check-prefix=TIED
// TIED: smp.add {{.*}}#smp.placement<1, user>
// TIED: smp.mul {{.*}}#smp.placement<1, propagated>

// A file without lines says nothing.
// RUN: smp-opt -mlir-print-op-on-diagnostic=false %t/model.mlir --smp-partition=load-placement=%t/nothing.json 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: warning: placement file '{{.*}}nothing.json' lacks names of the model, whose ops are placed without it: 'a', 'b', 'c'

// A module without an op of smp is placed.
// RUN: echo 'module {}' | smp-opt --smp-partition --smp-print-plan

// Several ops of one name may have one partition each.
// RUN: smp-opt %t/several.mlir --smp-partition=save-placement=%t/s.json -o %t/several.solved
// RUN: FileCheck %s --input-file=%t/s.json --check-prefix=SEVERAL
// SEVERAL: "a": [
// SEVERAL-NEXT: 1,
// SEVERAL-NEXT: 0
// SEVERAL-NEXT: ]
// RUN: smp-opt %t/several.mlir --smp-partition=load-placement=%t/s.json | diff %t/several.solved -
// RUN: smp-opt -mlir-print-op-on-diagnostic=false %t/model.mlir --smp-partition=load-placement=%t/number.json 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: warning: placement file '{{.*}}number.json' has lists for another number of ops, which are placed without it: 'a'

//--- model.mlir
module attributes {smp.partitions = 2 : i64} {
smp.entry @predict(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %a = smp.exp %x {smp.placement = #smp.placement<1, user>} : tensor<4xf32> loc("a")
  %b = smp.log %a : tensor<4xf32> loc("b")
  %c = smp.sin %b : tensor<4xf32> loc("c")
  smp.return %c : tensor<4xf32>
}
}

//--- other.mlir
module attributes {smp.partitions = 2 : i64} {
smp.entry @predict(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %a = smp.exp %x {smp.placement = #smp.placement<1, user>} : tensor<4xf32> loc("a")
  %b = smp.log %a : tensor<4xf32> loc("other")
  smp.return %b : tensor<4xf32>
}
}

//--- several.mlir
module attributes {smp.partitions = 2 : i64} {
smp.entry @predict(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %a = smp.exp %x {smp.placement = #smp.placement<1, user>} : tensor<4xf32> loc("a")
  %b = smp.log %a {smp.placement = #smp.placement<0, user>} : tensor<4xf32> loc("a")
  smp.return %b : tensor<4xf32>
}
}

//--- tied.mlir
module attributes {smp.partitions = 2 : i64} {
smp.variable @w state : tensor<4xf32> = #smp.splat<1.0>
smp.entry @predict(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %w = smp.read @w : tensor<4xf32> loc("read")
  %a = smp.add %w, %x : tensor<4xf32> loc("a")
  %b = smp.mul %w, %a : tensor<4xf32> loc("b")
  smp.return %b : tensor<4xf32>
}
}

//--- tied.json
{"version": 2, "partitions": 2, "placement": {"predict": {"a": 1}}, "decided": {}}
//--- nothing.json
{"version": 2, "partitions": 2, "placement": {}, "decided": {}}
//--- number.json
{"version": 2, "partitions": 2, "placement": {"predict": {"a": [1, 0], "b": 1, "c": 1}}, "decided": {}}
//--- manual.json
{"version": 2, "partitions": 2, "placement": {"predict": {"other": 1}}, "decided": {}}
