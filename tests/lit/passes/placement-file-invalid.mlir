// RUN: rm -rf %t && split-file %s %t
// RUN: not smp-opt %t/three.mlir --smp-partition=load-placement=%t/good.json 2>&1 | FileCheck %s --check-prefix=THREE
// THREE: good.json' is not for 3 partitions; write it again, or compile for as many as it has
// RUN: not smp-opt %t/model.mlir --smp-partition=load-placement=%t/none.json 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: none.json' cannot be read: No such file or directory
// RUN: not smp-opt %t/model.mlir --smp-partition=load-placement=%t/model.mlir 2>&1 | FileCheck %s --check-prefix=JSON
// JSON: model.mlir' is no JSON
// RUN: not smp-opt %t/model.mlir --smp-partition=load-placement=%t/old.json 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: old.json' is no placement of version 2; write it again
// RUN: not smp-opt %t/model.mlir --smp-partition=load-placement=%t/without.json 2>&1 | FileCheck %s --check-prefix=WITHOUT
// WITHOUT: without.json' has no object 'decided'
// RUN: not smp-opt %t/model.mlir --smp-partition=load-placement=%t/entry.json 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: entry.json' has no object of entry 'predict' in 'placement'
// RUN: not smp-opt %t/model.mlir --smp-partition=load-placement=%t/beyond.json 2>&1 | FileCheck %s --check-prefix=BEYOND
// BEYOND: beyond.json' gives 'a' 2; a partition is 0..1
// RUN: not smp-opt %t/model.mlir --smp-partition=load-placement=%t/text.json 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: text.json' gives 'a' "all"; a partition is 0..1
// RUN: not smp-opt %t/model.mlir --smp-partition=load-placement=%t/short.json 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: short.json' gives 'a' a list of less than 2; it is one for each of its ops, or one number for all
// RUN: not smp-opt %t/model.mlir --smp-partition=load-placement=%t/model2.json 2>&1 | FileCheck %s --check-prefix=MODEL
// MODEL: model2.json' is of another model: none of its 2 lines is of an op of this one, which has 'a' in entry 'predict'
// RUN: not smp-opt %t/model.mlir --smp-partition=load-placement=%t/against.json 2>&1 | FileCheck %s --check-prefix=AGAINST
// AGAINST: error: {{.*}}'a' is on partition 1 because of a pin, but placement file '{{.*}}against.json' was edited to have it on 0; change one of the two
// RUN: not smp-opt %t/tied.mlir --smp-partition=load-placement=%t/tied.json 2>&1 | FileCheck %s --check-prefix=TIED
// TIED: error: {{.*}}'b'{{.*}}'w'
// RUN: %python -c "print('[' * 2000000)" > %t/deep.json
// RUN: not smp-opt %t/model.mlir --smp-partition=load-placement=%t/deep.json 2>&1 | FileCheck %s --check-prefix=DEEP
// DEEP: deep.json' is nested deeper than 16 levels
// RUN: not smp-opt %t/model.mlir --smp-partition=save-placement=%t/no/where.json 2>&1 | FileCheck %s --check-prefix=WRITE
// WRITE: placement file: cannot write '{{.*}}where.json': No such file or directory

//--- model.mlir
module attributes {smp.partitions = 2 : i64} {
smp.entry @predict(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %a = smp.exp %x {smp.placement = #smp.placement<1, user>} : tensor<4xf32> loc("a")
  %b = smp.log %a : tensor<4xf32> loc("b")
  smp.return %b : tensor<4xf32>
}
}

//--- three.mlir
module attributes {smp.partitions = 3 : i64} {
smp.entry @predict(%x: tensor<4xf32> {smp.name = "x"}) {
  smp.return
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

//--- good.json
{"version": 2, "partitions": 2, "placement": {"predict": {"a": 1, "b": 1}}, "decided": {"predict": {"a": 1, "b": 1}}}
//--- old.json
{"version": 1, "partitions": 2, "entries": {}}
//--- without.json
{"version": 2, "partitions": 2, "placement": {"predict": {"a": 1, "b": 1}}}
//--- entry.json
{"version": 2, "partitions": 2, "placement": {"predict": [1]}, "decided": {}}
//--- beyond.json
{"version": 2, "partitions": 2, "placement": {"predict": {"a": 2}}, "decided": {}}
//--- text.json
{"version": 2, "partitions": 2, "placement": {"predict": {"a": "all"}}, "decided": {}}
//--- short.json
{"version": 2, "partitions": 2, "placement": {"predict": {"a": [1]}}, "decided": {}}
//--- model2.json
{"version": 2, "partitions": 2, "placement": {"predict": {"one": 1, "two": 0}}, "decided": {}}
//--- against.json
{"version": 2, "partitions": 2, "placement": {"predict": {"a": 0, "b": 1}}, "decided": {"predict": {"a": 1, "b": 1}}}
//--- tied.json
{"version": 2, "partitions": 2, "placement": {"predict": {"a": 0, "b": 1}}, "decided": {}}
