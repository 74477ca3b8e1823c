// RUN: smp-opt %s --smp-form-groups "--smp-emit-kernels=target=cuda level=sm_80" --canonicalize --cse | FileCheck %s

// Few updates: threads check an index each; then each element of the result takes its updates
// in their order, whatever indices say of others.
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: %[[T:[a-z0-9]+]]: memref<40xf32, 1> {llvm.align = 16 : i64, llvm.noalias}, %[[I:[a-z0-9]+]]: memref<3xi64, 1> {llvm.align = 8 : i64, llvm.noalias}, %[[U:[a-z0-9]+]]: memref<12xf32, 1> {llvm.align = 16 : i64, llvm.noalias}
// CHECK-SAME: smp.fault_records = 1
// CHECK: %[[MINE:.*]] = memref.load %[[I]]
// CHECK: arith.cmpi uge, %[[MINE]], %c10_i64 : i64
// CHECK: llvm.atomicrmw min
// CHECK: llvm.atomicrmw max
// CHECK: %[[ROW:.*]] = arith.divui
// CHECK: %[[BASE:.*]] = memref.load %[[T]]
// CHECK: %[[SUM:.*]] = scf.for %[[N:.*]] = %c0 to %c3 step %c1 iter_args(%[[PART:.*]] = %[[BASE]]) -> (f32) {
// CHECK: %[[INDEX:.*]] = memref.load %[[I]][%[[N]]]
// CHECK: %[[WANTED:.*]] = arith.index_cast %[[ROW]] : index to i64
// CHECK: %[[HIT:.*]] = arith.cmpi eq, %[[INDEX]], %[[WANTED]] : i64
// CHECK: scf.if %[[HIT]] -> (f32) {
// CHECK: %[[UPDATE:.*]] = memref.load %[[U]]
// CHECK: arith.addf %[[PART]], %[[UPDATE]] : f32
// CHECK: memref.store %[[SUM]]
smp.entry @f(%t: tensor<10x4xf32> {smp.name = "t"}, %i: tensor<3x1xi64> {smp.name = "i"}, %u: tensor<3x4xf32> {smp.name = "u"}) -> (tensor<10x4xf32> {smp.name = "y"}) {
  %y = smp.scatter_nd %t, %i, %u {kind = #smp.scatter_kind<sum>} : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
  smp.return %y : tensor<10x4xf32>
}

// Many updates are sorted by the rows that they fall on, with their numbers.
// CHECK-LABEL: func.func @k1_sm_80(
// CHECK-SAME: %{{[a-z0-9]+}}: memref<8000xf32, 1> {{.*}}, %[[I:[a-z0-9]+]]: memref<2500xi64, 1> {{.*}}, %{{[a-z0-9]+}}: memref<100000xf32, 1> {{.*}}, %[[RECORDS:[a-z0-9]+]]: memref<4096xi64, 1>
// CHECK-SAME: smp.fault_records = 1
// CHECK: memref.load %[[I]]
// CHECK: llvm.atomicrmw min
// CHECK: memref.store %{{.*}}, %[[RECORDS]]
// CHECK-LABEL: func.func @k2_sm_80(
// CHECK-SAME: memref<4096xi64, 1> {{.*}}memref<2500xi64, 1>
// CHECK-SAME: smp.fault_records = 0
// The first blocks have a stretch of 64 updates each. Where that is the first of
// a long row, all threads of the block read ahead, vectors of 16 bytes, and a
// warp's first threads add.
// CHECK-LABEL: func.func @k3_sm_80(
// CHECK-SAME: %[[T:[a-z0-9]+]]: memref<8000xf32, 1> {{.*}}, %{{[a-z0-9]+}}: memref<2500xi64, 1> {{.*}}, %[[U:[a-z0-9]+]]: memref<100000xf32, 1> {{.*}}, %[[SORTED:[a-z0-9]+]]: memref<2500xi64, 1> {{.*}}, %[[Y:[a-z0-9]+]]: memref<8000xf32, 1>
// CHECK: %[[IS_LONG:.*]] = arith.cmpi ult, %{{.*}}, %c78 : index
// CHECK: scf.if %[[IS_LONG]] {
// CHECK: %[[BOUNDS:.*]] = memref.get_global @k3_sm_80_shared0 : memref<2xi32, 3>
// CHECK: %[[STAGED:.*]] = memref.get_global @k3_sm_80_shared1 : memref<4096xf32, 3>
// CHECK-COUNT-3: memref.load %[[SORTED]]
// CHECK: scf.if
// CHECK: scf.for
// CHECK: memref.load %[[SORTED]]
// CHECK: {smp.kept_loop}
// CHECK: memref.store %{{.*}}, %[[BOUNDS]]
// CHECK: nvvm.barrier0
// CHECK: vector.load %[[T]]{{.*}} {alignment = 16 : i64} : {{.*}}, vector<4xf32>
// CHECK-COUNT-4: vector.load %[[U]]{{.*}} {alignment = 16 : i64} : {{.*}}, vector<4xf32>
// CHECK-COUNT-4: vector.store %{{.*}}, %[[STAGED]]{{.*}} {alignment = 16 : i64}
// CHECK: nvvm.barrier0
// CHECK-COUNT-8: vector.load %[[STAGED]]{{.*}} {alignment = 16 : i64}
// CHECK-COUNT-8: arith.addf {{.*}} : vector<4xf32>
// CHECK: nvvm.barrier0
// CHECK: vector.store %{{.*}}, %[[Y]]
// Others find where the updates of their rows begin; a thread adds those of a
// row to a vector of it, unless the row is long.
// CHECK: } else {
// CHECK: %[[BEGINS:.*]] = memref.get_global @k3_sm_80_shared2 : memref<65xi32, 3>
// CHECK: memref.load %[[SORTED]]
// CHECK: memref.store %{{.*}}, %[[BEGINS]]
// CHECK: nvvm.barrier0
// CHECK: %[[IS_SHORT:.*]] = arith.cmpi ule
// CHECK: scf.if %[[IS_SHORT]] {
// CHECK: vector.load %[[T]]
// CHECK: scf.for
// CHECK-COUNT-4: vector.load %[[U]]{{.*}} {alignment = 16 : i64} : {{.*}}, vector<4xf32>
// CHECK-COUNT-4: arith.addf {{.*}} : vector<4xf32>
// CHECK: scf.for
// CHECK: vector.load %[[U]]
// CHECK: arith.addf
// CHECK: vector.store %{{.*}}, %[[Y]]
smp.entry @many(%t: tensor<200x40xf32> {smp.name = "t"}, %i: tensor<2500x1xi64> {smp.name = "i"}, %u: tensor<2500x40xf32> {smp.name = "u"}) -> (tensor<200x40xf32> {smp.name = "y"}) {
  %y = smp.scatter_nd %t, %i, %u {kind = #smp.scatter_kind<sum>} : (tensor<200x40xf32>, tensor<2500x1xi64>, tensor<2500x40xf32>) -> tensor<200x40xf32>
  smp.return %y : tensor<200x40xf32>
}
