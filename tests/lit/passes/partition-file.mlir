// A placement can be kept in a file and used again.
// RUN: rm -rf %t && split-file %s %t
// RUN: smp-opt %t/model.mlir --smp-partition=partition-file=%t/p.json -o %t/solved.mlir
// RUN: FileCheck %s --input-file=%t/p.json
// RUN: smp-opt %t/model.mlir --smp-partition="partition-file=%t/p.json load-partition" | diff %t/solved.mlir -
// RUN: not smp-opt %t/other.mlir --smp-partition="partition-file=%t/p.json load-partition" 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not smp-opt %t/longer.mlir --smp-partition="partition-file=%t/p.json load-partition" 2>&1 | FileCheck %s --check-prefix=LONGER
// RUN: not smp-opt %t/pinned.mlir --smp-partition="partition-file=%t/p.json load-partition" 2>&1 | FileCheck %s --check-prefix=PINNED
// RUN: not smp-opt %t/three.mlir --smp-partition="partition-file=%t/p.json load-partition" 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: not smp-opt %t/model.mlir --smp-partition="partition-file=%t/none.json load-partition" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not smp-opt %t/model.mlir --smp-partition="partition-file=%t/model.mlir load-partition" 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: not smp-opt %t/model.mlir --smp-partition=partition-file=%t/no/where.json 2>&1 | FileCheck %s --check-prefix=WRITE

// CHECK: "predict": [
// CHECK: "name": "a",
// CHECK-NEXT: "op": "smp.exp",
// CHECK-NEXT: "origin": "user",
// CHECK-NEXT: "partition": 1
// CHECK: "name": "b",
// CHECK: "origin": "solver",
// CHECK: "partitions": 2,
// CHECK-NEXT: "version": 1
// OTHER: p.json' is of another model: it differs at 'other'
// LONGER: p.json' is of another model: it has 2 ops in entry 'predict', the model has 3
// PINNED: 'b' is pinned to partition 0 but partition file '{{.*}}p.json' has it on 1; write the file again
// THREE: p.json' is not for 3 partitions; write it again, or compile for as many as it has
// NONE: none.json' cannot be read: No such file or directory
// JSON: model.mlir' is no JSON
// WRITE: partition file: cannot write '{{.*}}where.json': No such file or directory

//--- model.mlir
module attributes {smp.partitions = 2 : i64} {
smp.entry @predict(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %a = smp.exp %x {smp.placement = #smp.placement<1, user>} : tensor<4xf32> loc("a")
  %b = smp.log %a : tensor<4xf32> loc("b")
  smp.return %b : tensor<4xf32>
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

//--- longer.mlir
module attributes {smp.partitions = 2 : i64} {
smp.entry @predict(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %a = smp.exp %x : tensor<4xf32> loc("a")
  %b = smp.log %a : tensor<4xf32> loc("b")
  %c = smp.log %b : tensor<4xf32> loc("c")
  smp.return %c : tensor<4xf32>
}
}

//--- pinned.mlir
module attributes {smp.partitions = 2 : i64} {
smp.entry @predict(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %a = smp.exp %x {smp.placement = #smp.placement<1, user>} : tensor<4xf32> loc("a")
  %b = smp.log %a {smp.placement = #smp.placement<0, user>} : tensor<4xf32> loc("b")
  smp.return %b : tensor<4xf32>
}
}

//--- three.mlir
module attributes {smp.partitions = 3 : i64} {
smp.entry @predict(%x: tensor<4xf32> {smp.name = "x"}) {
  smp.return
}
}
