targetScope = 'resourceGroup'

@description('Short prefix of all names.')
@minLength(2)
@maxLength(8)
param prefix string = 'shop'

@allowed(['dev', 'prod'])
param environment string = 'prod'

param location string = resourceGroup().location

type account = {
  @description('Name of the account.')
  name: string
  replicated: bool?
  tags: object?
}

param accounts account[] = [
  { name: 'orders', replicated: true }
  { name: 'images', tags: { public: 'yes' } }
  { name: 'backup' }
]

var isProd = environment == 'prod'
var tags = {
  environment: environment
  owner: prefix
}

func accountName(prefix string, name string) string => toLower('${prefix}${name}${uniqueString(prefix, name)}')

resource network 'Microsoft.Network/virtualNetworks@2023-04-01' = {
  name: '${prefix}-network'
  location: location
  tags: tags
  properties: {
    addressSpace: { addressPrefixes: ['10.0.0.0/16'] }
    subnets: [for index in range(0, 4): {
      name: 'subnet${index}'
      properties: { addressPrefix: cidrSubnet('10.0.0.0/16', 24, index) }
    }]
  }
}

resource storage 'Microsoft.Storage/storageAccounts@2023-01-01' = [for (item, index) in accounts: {
  name: take(accountName(prefix, item.name), 24)
  location: location
  kind: 'StorageV2'
  sku: { name: (item.?replicated ?? false) ? 'Standard_GRS' : 'Standard_LRS' }
  tags: union(tags, item.?tags ?? {})
  properties: {
    minimumTlsVersion: isProd ? 'TLS1_2' : 'TLS1_0'
    supportsHttpsTrafficOnly: true
    allowBlobPublicAccess: index == 1
    networkAcls: {
      defaultAction: 'Deny'
      bypass: 'AzureServices'
      virtualNetworkRules: [
        { id: network.properties.subnets[0].id, action: 'Allow' }
      ]
    }
  }
}]

resource blobs 'Microsoft.Storage/storageAccounts/blobServices@2023-01-01' = [for index in range(0, length(accounts)): {
  parent: storage[index]
  name: 'default'
  properties: { deleteRetentionPolicy: { enabled: isProd, days: 7 } }
}]

resource plan 'Microsoft.Web/serverfarms@2022-09-01' = {
  name: '${prefix}-plan'
  location: location
  sku: { name: isProd ? 'P1v3' : 'B1' }
}

resource site 'Microsoft.Web/sites@2022-09-01' = if (length(accounts) > 0) {
  name: '${prefix}-${uniqueString(resourceGroup().id)}'
  location: location
  tags: tags
  identity: { type: 'SystemAssigned' }
  properties: {
    serverFarmId: plan.id
    httpsOnly: true
    siteConfig: {
      minTlsVersion: '1.2'
      appSettings: map(accounts, item => { name: toUpper(item.name), value: accountName(prefix, item.name) })
    }
  }
}

output names array = [for index in range(0, length(accounts)): storage[index].name]
output host string = site!.properties.defaultHostName
