metadata description = 'A web shop: an app, its storage account, its secrets and the machine that administers them'

@description('Which stage this is')
@allowed(['dev', 'prod'])
param environment string

@minLength(3)
@maxLength(12)
param name string = 'shop'

param location string = resourceGroup().location

@allowed(['1.0', '1.1', '1.2'])
param minimumTls string = '1.1'

param publicImages bool = false

@description('Addresses that may connect to the machine')
param administrators string

@description('Public SSH key')
param administratorPublicKey string

var isProduction = environment == 'prod'
var stem = toLower('${name}${environment}')
var tags = { environment: environment }
var openPorts = [
  { name: 'https', port: '443', source: 'Internet' }
  { name: 'ssh', port: '22', source: administrators }
]

resource storage 'Microsoft.Storage/storageAccounts@2023-05-01' = {
  name: 'st${stem}'
  location: location
  tags: tags
  sku: { name: isProduction ? 'Standard_ZRS' : 'Standard_LRS' }
  kind: 'StorageV2'
  properties: {
    minimumTlsVersion: 'TLS1_2'
    allowBlobPublicAccess: publicImages
    allowSharedKeyAccess: false
    networkAcls: { defaultAction: 'Deny' }
    supportsHttpsTrafficOnly: true
  }

  resource blobs 'blobServices' existing = {
    name: 'default'

    resource images 'containers' = {
      name: 'images'
      properties: {
        publicAccess: publicImages ? 'Blob' : 'None'
      }
    }
  }
}

resource vault 'Microsoft.KeyVault/vaults@2023-07-01' = {
  name: 'kv-${stem}'
  location: location
  tags: tags
  properties: {
    tenantId: subscription().tenantId
    sku: { family: 'A', name: 'standard' }
    enableRbacAuthorization: true
    networkAcls: { defaultAction: 'Deny', bypass: 'AzureServices' }
    enablePurgeProtection: isProduction ? true : null
  }
}

resource plan 'Microsoft.Web/serverfarms@2022-09-01' = {
  name: 'plan-${stem}'
  location: location
  tags: tags
  sku: { name: isProduction ? 'P1v3' : 'B1' }
  properties: {}
}

resource app 'Microsoft.Web/sites@2022-09-01' = {
  name: 'app-${stem}'
  location: location
  tags: tags
  kind: 'app'
  identity: { type: 'SystemAssigned' }
  properties: {
    serverFarmId: plan.id
    httpsOnly: true
    siteConfig: {
      minTlsVersion: minimumTls
      ftpsState: 'Disabled'
    }
  }

  resource staging 'slots' = if (isProduction) {
    name: 'staging'
    location: location
    identity: { type: 'SystemAssigned' }
    properties: {
      serverFarmId: plan.id
    }
  }
}

resource firewall 'Microsoft.Network/networkSecurityGroups@2023-09-01' = {
  name: 'nsg-${stem}'
  location: location
  tags: tags
  properties: {
    securityRules: [for (open, i) in openPorts: {
      name: 'allow-${open.name}'
      properties: {
        priority: 100 + 10 * i
        direction: 'Inbound'
        access: 'Allow'
        protocol: 'Tcp'
        sourceAddressPrefix: open.source
        sourcePortRange: '*'
        destinationAddressPrefix: '*'
        destinationPortRange: open.port
      }
    }]
  }
}

output address string = 'https://${app.properties.defaultHostName}'
