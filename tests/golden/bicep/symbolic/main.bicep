import { rule as firewallRule, joined } from 'types.bicep'
import * as shared from 'types.bicep'

@discriminator('type')
type shape = circle | square

type circle = { type: 'circle', radius: int }
type square = { type: 'square', side: int? }
type pair = [string, int]

param rules firewallRule[] = []
param figure shape?
param sizes pair = ['a', 1]
param settings object = {}
param level resourceInput<'Microsoft.Storage/storageAccounts@2023-01-01'>.properties.minimumTlsVersion = 'TLS1_2'
@sealed()
param strict { only: string }

func half(n int) int => n / 2

var typed string[] = ['a']
var merged = { ...settings, own: true, text: loadTextContent('note.txt') }
var config = loadJsonContent('config.json', '$.inner')
var last = [...typed, ...shared.all][^1]

resource account 'microsoft.storage/storageaccounts@2023-01-01' existing = {
  name: joined('a', 'b')
}

@onlyIfNotExists()
resource zones 'Microsoft.Network/dnsZones@2018-05-01' = [for zone in rules: {
  name: zone.name
  location: 'global'
  tags: { ...merged, level: level }
}]

resource records 'Microsoft.Network/dnsZones/A@2018-05-01' = [for (zone, i) in rules: {
  parent: zones[i]
  name: 'www'
  properties: { TTL: half(zone.?ports[?0] ?? 3600), extra: config.?value, level: account.tags.?level ?? level }
}]

output whole array = map(zones, zone => zone.id)
@secure()
output token string = account.listKeys('2023-01-01').keys[0].value
output last string = last!
output shared shared.chosen = { kind: 'a', token: any('x') }
